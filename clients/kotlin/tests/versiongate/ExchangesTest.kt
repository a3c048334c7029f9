package versiongate

import java.io.File
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class ExchangesTest {
    private class Exchange(val name: String, document: Map<*, *>) {
        private val response = document["response"] as Map<*, *>
        val client = document["client"] as Map<*, *>
        val content = response["json"]?.let { Json.write(it) } ?: response["body"] as String? ?: ""
        val answer = Answer(
            (response["status"] as Long).toInt(),
            (response["fields"] as List<*>).map { it as List<*> }.groupBy({ it[0] as String }, { it[1] as String }),
            "https://gate.example" + (document["request"] as Map<*, *>)["target"]
        )

        fun read(key: Any?): Any? = when (key) {
            "denial" -> inspect(answer, content)?.let { wire(it) }
            "hint" -> hint(answer)?.let { wire(it) }
            "state" -> readStatus(answer, content).let { if (it == null) unchanged else wire(it) }
            "states" -> readEvents(content).map { wire(it) }
            else -> throw AssertionError("unknown: $key")
        }

        private val unchanged = mapOf("state" to "unchanged")
    }

    private val exchanges = File(ROOT, "docs/wire/exchanges").listFiles()!!.sorted()
        .map { Exchange(it.name, Json.read(it.readText()) as Map<*, *>) }

    @Test
    fun allAreReadAsTheySay() {
        assertTrue(exchanges.size > 40)
        for (exchange in exchanges) {
            val read = exchange.client.mapValues { (key, _) -> exchange.read(key) }
            assertEquals(exchange.name, exchange.client, read)
        }
    }

    @Test
    fun statesSurviveTheirStorage() {
        val states = exchanges.flatMap { it.client.values }.flatMap { it as? List<*> ?: listOf(it) }
            .mapNotNull { stateFromWire(it) }
        assertTrue(states.size > 20)
        for (state in states) assertEquals(state, stateFromWire(Json.read(Json.write(wire(state)))))
    }

    @Test
    fun anAnswerOfTheGatesOwnFolderIsNoDenial() {
        for (url in listOf("https://a.example/.versiongate/status?path=/a", "/.versiongate/status")) {
            val answer = Answer(200, mapOf("X-VersionGate" to listOf("require")), url)
            assertNull(url, inspect(answer, null))
            assertNull(url, hint(answer))
        }
        val elsewhere = Answer(200, mapOf("X-VersionGate" to listOf("require")), "https://a.example/?/.versiongate/")
        assertEquals(Required(), inspect(elsewhere, null))
    }

    @Test
    fun unreadableFactsOfCallsAreNotThere() {
        fun denial(details: String, message: String) = inspect(
            Answer(200, mapOf(
                "x-versiongate" to listOf("require"), "content-type" to listOf("application/grpc+proto"),
                "grpc-status-details-bin" to listOf(details), "grpc-message" to listOf(message)
            )), null
        )
        val said = Required(Facts.of(mapOf("message" to "a+b c%")))
        // No Base64; a size that is negative, too large, cut off or never ends; and a kind of field that is not ours.
        for (details in listOf("", "!", "Gv///////////wE", "Gn8B", "GoE", "Gv//////////////", "HQECAwQ")) {
            assertEquals(details, Required(Facts.of(mapOf("message" to "a+b c"))), denial(details, "a+b%20c"))
            assertEquals(details, said, denial(details, "a+b c%"))
        }
    }
}
