package versiongate

import java.io.IOException
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import okhttp3.Call
import okhttp3.Callback
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.Response
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.ClassRule
import org.junit.Test

/** Tests of the interceptor in OkHttp against a real gate. */
class InterceptorTest {
    companion object {
        @ClassRule
        @JvmField
        val gate = Gate()
    }

    private fun http(url: String = gate.url): OkHttpClient =
        OkHttpClient.Builder().addInterceptor(GateInterceptor(VersionGate(url, IDENTITY))).build()

    private fun call(url: String, http: OkHttpClient = http(), set: (Request.Builder) -> Unit = {}): Call =
        http.newCall(Request.Builder().url(url).also(set).build())

    private fun denied(call: Call): GateDenied {
        try {
            call.execute()
        } catch (error: GateDenied) {
            return error
        }
        throw AssertionError("not denied")
    }

    @Test
    fun aDeniedCallFails() {
        for (more in listOf("", "    status: 200\n")) {
            gate.change(rules("3.5.0", more))
            val denied = denied(call(gate.url + "/orders"))
            assertEquals("3.5.0", (denied.denial as Required).update.minimumVersion)
            assertEquals(if (more == "") 426 else 200, denied.answer.status)
        }
        assertEquals(Required(), denied(call(gate.url + "/orders") { it.head() }).denial)
    }

    @Test
    fun theCallbackOfAnotherThreadIsToldOfADenial() {
        gate.change(rules("3.5.0"))
        val told = LinkedBlockingQueue<Any>()
        call(gate.url + "/orders").enqueue(object : Callback {
            override fun onFailure(call: Call, error: IOException) {
                told.add(error)
            }

            override fun onResponse(call: Call, response: Response) {
                told.add(response)
            }
        })
        assertTrue(told.poll(PATIENCE, TimeUnit.SECONDS) is GateDenied)
    }

    @Test
    fun aCallThatPassesHasTheIdentityAndItsAnswerIsWhole() {
        gate.change(rules("3.4.0"))
        fun echo(call: Call): Map<*, *> {
            val told = call.execute().use { Json.read(it.peekBody(99_999).string()) as Map<*, *> }
            return told["headers"] as Map<*, *>
        }
        assertEquals("3.4.9", echo(call(gate.url + "/a"))["x-app-version"])
        assertEquals("3.4.8", echo(call(gate.url + "/a") { it.header("X-App-Version", "3.4.8") })["x-app-version"])
        assertFalse(echo(call(gate.backend.url + "/a")).containsKey("x-app-version"))
    }

    @Test
    fun theProblemsOfOthersArePassedOnWhole() {
        val body = "{\"type\":\"about:blank\"" + " ".repeat(3_000_000) + "}"
        Server(answer = reply(426, "Content-Type: application/problem+json", body.toByteArray())).use { other ->
            call(other.url + "/a", http(other.url)).execute().use {
                assertEquals(body, it.peekBody(9_999_999).string())
            }
        }
    }

    @Test
    fun aLossIsTheNetworksAndNoDenial() {
        Server { _, socket -> socket.close() }.use { other ->
            try {
                call(other.url + "/a", http(other.url)).execute()
                throw AssertionError("answered")
            } catch (error: IOException) {
                assertFalse("$error", error is GateDenied)
            }
        }
    }
}
