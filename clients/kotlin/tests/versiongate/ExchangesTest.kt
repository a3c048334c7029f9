package versiongate

import java.io.File
import java.net.Socket
import java.nio.ByteBuffer
import java.util.Collections
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class ExchangesTest {
    private class Exchange(val name: String, document: Map<*, *>) {
        private val request = document["request"] as Map<*, *>
        private val response = document["response"] as Map<*, *>
        val method = request["method"] as String
        val target = request["target"] as String
        val client = document["client"] as Map<*, *>
        private val text = response["json"]?.let { Json.write(it) } ?: response["body"] as String? ?: ""
        private val bytes = response["envelopeFlags"].let { flags ->
            val bytes = text.toByteArray()
            if (flags == null) bytes
            else ByteBuffer.allocate(5).put((flags as Long).toByte()).putInt(bytes.size).array() + bytes
        }
        val content = String(bytes, Charsets.UTF_8)
        val answer = Answer(
            (response["status"] as Long).toInt(),
            (response["fields"] as List<*>).map { it as List<*> }.groupBy({ it[0] as String }, { it[1] as String }),
            "https://gate.example$target"
        )

        fun read(key: Any?): Any? = when (key) {
            "denial" -> inspect(answer, content)?.let { wire(it) }
            "hint" -> hint(answer)?.let { wire(it) }
            "state" -> readStatus(answer, content).let { if (it == null) unchanged else wire(it) }
            "states" -> readEvents(content).map { wire(it) }
            else -> throw AssertionError("unknown: $key")
        }

        /** Returns a function that responds over a socket; [asked] collects the requests. */
        fun answer(asked: MutableList<String>) = { said: Asked, socket: Socket ->
            asked.add("${said.method} ${said.target}")
            val fields = (response["fields"] as List<*>).map { it as List<*> }.map { "${it[0]}: ${it[1]}" }
            // A 304 needs an earlier response.
            val isBefore = answer.status == 304 && asked.size == 1
            val lines = (if (isBefore) fields + JSON else fields).joinToString("\n")
            val sent = if (isBefore) "{\"decision\":\"allow\"}".toByteArray() else bytes
            val isBare = method == "HEAD" || answer.status == 204 || answer.status == 304 && !isBefore
            reply(if (isBefore) 200 else answer.status, lines, if (isBare) ByteArray(0) else sent)(said, socket)
        }

        /** Returns what the client reads from a response over a socket. */
        fun hear(gate: VersionGate): Map<String, Any?> {
            val heard = HashMap<String, Any?>()
            if ("denial" in client) {
                try {
                    gate.receive(gate.open(target).also { it.requestMethod = method }).use { passed ->
                        heard["denial"] = null
                        if ("hint" in client) heard["hint"] = hint(passed.answer)?.let { wire(it) }
                    }
                } catch (error: GateDenied) {
                    heard["denial"] = wire(error.denial)
                }
            }
            if ("states" in client) {
                Told(gate).use { told -> heard["states"] = (client["states"] as List<*>).map { wire(told.next()) } }
            }
            if ("state" in client) {
                if (isUnchanged) assertEquals(Allowed(), gate.check())
                val query = target.substringAfter('?', "").split('&').associate {
                    Pair(it.substringBefore('='), it.substringAfter('='))
                }
                heard["state"] = wire(gate.check(query["path"], query["method"]))
            }
            return heard
        }

        val isUnchanged get() = client["state"] == unchanged
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
    fun allAreHeardOverASocketAsTheySay() {
        for (exchange in exchanges) {
            val asked = Collections.synchronizedList(ArrayList<String>())
            Server(answer = exchange.answer(asked)).use { other ->
                val heard = exchange.hear(VersionGate(other.url, IDENTITY))
                val meant = if (exchange.isUnchanged) mapOf("state" to wire(Allowed())) else exchange.client
                assertEquals(exchange.name, meant, heard)
            }
            if ("state" !in exchange.client) assertEquals("${exchange.method} ${exchange.target}", asked[0])
        }
    }

    @Test
    fun theInterceptorHearsTheSameDenials() {
        for (exchange in exchanges.filter { "denial" in it.client }) {
            Server(answer = exchange.answer(ArrayList())).use { other ->
                val gate = GateInterceptor(VersionGate(other.url, IDENTITY))
                val http = OkHttpClient.Builder().addInterceptor(gate).build()
                val content = if (exchange.method == "POST") RequestBody.create(null, ByteArray(0)) else null
                val asked = Request.Builder().url(other.url + exchange.target).method(exchange.method, content)
                val denial = try {
                    http.newCall(asked.build()).execute().close()
                    null
                } catch (error: GateDenied) {
                    wire(error.denial)
                }
                assertEquals(exchange.name, exchange.client["denial"], denial)
            }
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
    fun anEndOfAStreamThatCannotBeReadHasNoFacts() {
        val fields = mapOf("x-versiongate" to listOf("require"), "content-type" to listOf("application/connect+json"))
        fun denial(content: String?) = inspect(Answer(200, fields), content)
        val document = "{\"type\":\"urn:versiongate:upgrade-required\",\"title\":\"t\"}"
        val good = "\u0002\u0000\u0000\u0000" + document.length.toChar() + document
        assertEquals(Required(Facts.of(mapOf("title" to "t"))), denial(good))
        for (content in listOf(
            null, "", "\u0002", "\u0002\u0000\u0000\u0000", "\u0002\u0000\u0000\u0000\u0000", document,
            "\u0000" + good.drop(1), good.dropLast(1), "$good}", "\u0002\u0000\u0000\u0000\u0004null"
        )) assertEquals(content, Required(), denial(content))
    }

    @Test
    fun membersWithoutTheTypeAreTheOperators() {
        for (kind in listOf("application/json", "application/graphql-response+json")) {
            val fields = mapOf("x-versiongate" to listOf("require"), "content-type" to listOf(kind))
            for (type in listOf("", "\"type\":\"about:blank\",", "\"type\":[],")) {
                assertEquals(type, Required(), inspect(Answer(426, fields), "{$type\"title\":\"t\"}"))
            }
            // Without the header, it is content of the backend.
            val unmarked = Answer(426, mapOf("content-type" to listOf(kind)))
            assertNull(inspect(unmarked, "{\"type\":\"urn:versiongate:upgrade-required\",\"title\":\"t\"}"))
        }
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
        // Invalid Base64; a size that is negative, too large, truncated or endless; and an unknown wire type.
        for (details in listOf("", "!", "Gv///////////wE", "Gn8B", "GoE", "Gv//////////////", "HQECAwQ")) {
            assertEquals(details, Required(Facts.of(mapOf("message" to "a+b c"))), denial(details, "a+b%20c"))
            assertEquals(details, said, denial(details, "a+b c%"))
        }
    }
}
