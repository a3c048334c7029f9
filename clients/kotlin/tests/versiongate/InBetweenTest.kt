package versiongate

import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.net.Socket
import java.net.URL
import java.util.concurrent.CountDownLatch
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test

/** Servers that respond instead of the gate. */
class InBetweenTest {
    private val stream = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n"
    private val allow = "id: 1\nevent: decision\ndata: {\"decision\":\"allow\"}\n\n"

    private fun isUnknown(name: String, answer: (Asked, Socket) -> Unit) {
        Server(answer = answer).use { other ->
            val client = VersionGate(other.url, IDENTITY, timeoutMillis = 5_000, patienceMillis = 5_000)
            assertEquals(name, Unknown(null), client.check())
            Told(client).use { assertEquals(name, Unknown(null), it.next()) }
        }
    }

    @Test
    fun captivePortalsAndGarbageAreUnknown() {
        Server(answer = reply(200, JSON, "{\"decision\":\"require\"}".toByteArray())).use { elsewhere ->
            for ((name, answer) in listOf(
                "page" to ::page,
                "redirect" to reply(302, "Location: ${elsewhere.url}/.versiongate/status"),
                "temporary redirect" to reply(307, "Location: ${elsewhere.url}/.versiongate/status"),
                "network authentication" to reply(511, "Content-Type: text/html", PAGE.toByteArray()),
                "upgrade" to reply(426, "Upgrade: h2c"),
                "login" to reply(401, "WWW-Authenticate: Basic realm=\"x\""),
                "garbage" to reply(200, JSON, "{\"decision\":".toByteArray()),
                "bytes" to reply(200, JSON, byteArrayOf(-1, -2, 0)),
                "deep" to reply(200, JSON, "[".repeat(100_000).toByteArray()),
                "long" to reply(200, JSON, ("{\"decision\":\"require\"" + " ".repeat(2_000_000) + "}").toByteArray()),
                "nothing" to reply(204),
                "unchanged" to reply(304),
                "a loss" to { _: Asked, socket: Socket -> socket.close() },
                "no HTTP" to { _: Asked, socket: Socket -> send(socket.getOutputStream(), "SSH-2.0-x\n") },
                "cut off" to { _: Asked, socket: Socket ->
                    val head = "HTTP/1.1 200 OK\n$JSON\nContent-Length: 99\n\n"
                    send(socket.getOutputStream(), head, "{\"decision\":\"require\"".toByteArray())
                }
            )) {
                isUnknown(name, answer)
            }
        }
    }

    @Test
    fun whatIsNoHTTPIsTheNetworks() {
        Server { _, socket -> send(socket.getOutputStream(), "SSH-2.0-x\n") }.use { other ->
            val client = VersionGate(other.url, IDENTITY)
            try {
                val reply = client.receive(client.open("/a"))
                throw AssertionError("answered: ${reply.answer.status}")
            } catch (error: IOException) {
                assertFalse("$error", error is GateDenied)
            }
        }
    }

    @Test
    fun whoIsTooSlowIsUnknownInTime() {
        val end = CountDownLatch(1)
        fun drops(head: String, drop: String) = { _: Asked, socket: Socket ->
            send(socket.getOutputStream(), head)
            while (!end.await(20, TimeUnit.MILLISECONDS)) send(socket.getOutputStream(), drop)
        }
        for (answer in listOf(
            { _: Asked, _: Socket -> end.await() },
            drops("HTTP/1.1 200 OK\n$JSON\n\n", " "),
            drops("HTTP/1.1 200 OK\n$JSON\n", "X-Drop: 1\n")
        )) {
            Server(answer = answer).use { other ->
                val begun = System.nanoTime()
                assertEquals(Unknown(null), VersionGate(other.url, IDENTITY, timeoutMillis = 200).check())
                assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(5))
            }
        }
        end.countDown()
    }

    @Test
    fun aThreadThatIsInterruptedIsLetGo() {
        val end = CountDownLatch(1)
        Server { _, _ -> end.await() }.use { other ->
            val told = LinkedBlockingQueue<Pair<State, Boolean>>()
            val thread = Thread(Runnable {
                val state = VersionGate(other.url, IDENTITY, timeoutMillis = 60_000).check()
                told.add(Pair(state, Thread.currentThread().isInterrupted))
            })
            thread.start()
            thread.interrupt()
            assertEquals(Pair(Unknown(null), true), told.poll(PATIENCE, TimeUnit.SECONDS))
        }
        end.countDown()
    }

    @Test
    fun aStreamWithoutASignOfLifeIsLeft() {
        val end = CountDownLatch(1)
        Server { _, socket ->
            send(socket.getOutputStream(), stream + "retry: 1\n\n" + allow)
            end.await()
        }.use { other ->
            Told(VersionGate(other.url, IDENTITY, patienceMillis = 200)).use { told ->
                assertEquals(listOf(Allowed(), Unknown(Allowed()), Allowed()), List(3) { told.next() })
            }
        }
        end.countDown()
    }

    @Test
    fun theTagOfAnEventIsSentOnlyWhileItsStateHasBeenTold() {
        val again = "retry: 1\n\n"
        val unfinished = "id: 2\nevent: decision\ndata: {\"decision\":\"require\"}\n"
        val answers = LinkedBlockingQueue(listOf(
            stream + again + allow, stream + unfinished,
            // A complete chunk, and a truncated one.
            stream.replace("\n\n", "\nTransfer-Encoding: chunked\n\n") + "c\n$again\n99\n: lost\n"
        ))
        val asked = LinkedBlockingQueue<String>()
        Server { request, socket ->
            asked.add(request.headers["last-event-id"] ?: "none")
            send(socket.getOutputStream(), answers.poll() ?: stream + allow)
        }.use { other ->
            Told(VersionGate(other.url, IDENTITY)).use { told ->
                assertEquals(listOf(Allowed(), Unknown(Allowed()), Allowed()), List(3) { told.next() })
            }
        }
        assertEquals(listOf("none", "1", "1", "none"), List(4) { asked.poll(PATIENCE, TimeUnit.SECONDS) })
    }

    @Test
    fun aStreamThatNeverEndsItsEventIsLeft() {
        for (piece in listOf("data: " + "x".repeat(60_000) + "\n", "x".repeat(60_000))) {
            Server { _, socket ->
                send(socket.getOutputStream(), stream)
                while (true) send(socket.getOutputStream(), piece)
            }.use { other ->
                Told(VersionGate(other.url, IDENTITY)).use { assertEquals(Unknown(null), it.next()) }
            }
        }
    }

    @Test
    fun aClosedStreamTellsNothingMore() {
        val isClosed = CountDownLatch(1)
        val isLeft = CountDownLatch(1)
        Server { _, socket ->
            send(socket.getOutputStream(), stream + allow)
            isClosed.await()
            try {
                send(socket.getOutputStream(), allow.replace("allow", "require"))
                socket.getInputStream().read()
            } finally {
                isLeft.countDown()
            }
        }.use { other ->
            val told = LinkedBlockingQueue<State>()
            val client = VersionGate(other.url, IDENTITY, Kept())
            val following = client.states { told.add(it) }
            assertEquals(Allowed(), told.poll(PATIENCE, TimeUnit.SECONDS))
            following.close()
            isClosed.countDown()
            assertTrue(isLeft.await(PATIENCE, TimeUnit.SECONDS))
            assertTrue(told.isEmpty())
        }
    }

    @Test
    fun thePauseBeforeTheNextTryGrowsAndHasChanceInIt() {
        val client = VersionGate(NOWHERE, IDENTITY, chance = { 1.0 })
        assertEquals(
            listOf(3_000L, 3_000L, 6_000L, 12_000L, 24_000L, 48_000L, 90_000L, 90_000L),
            List(8) { client.pause(2_000, it) }
        )
        assertEquals(150_000L, client.pause(100_000, 50))
    }

    @Test
    fun aStorageWithAnythingElseInItSaysNothing() {
        val key = "[\"com.example.shop\",\"ios\",\"3.4.9\",null]"
        for (text in listOf(
            "", "{", "[]", "null", "{\"identity\":7}",
            "{\"identity\":$key,\"state\":{\"state\":7},\"snoozed\":[1,\"x\"]}",
            "{\"identity\":$key,\"state\":[],\"snoozed\":{}}", "{\"identity\":[],\"state\":{\"state\":\"allowed\"}}"
        )) {
            assertEquals(text, Unknown(null), VersionGate(NOWHERE, IDENTITY, Kept(text)).check())
        }
        val good = Kept("{\"identity\":$key,\"state\":{\"state\":\"allowed\"},\"snoozed\":null}")
        assertEquals(Unknown(Allowed()), VersionGate(NOWHERE, IDENTITY, good).check())
    }

    @Test
    fun aStorageThatFailsHarmsNothing() {
        val broken = object : Storage {
            override fun load(): String? = throw IllegalStateException("broken")
            override fun save(text: String) = throw IllegalStateException("broken")
        }
        Server(answer = reply(200, JSON, "{\"decision\":\"allow\"}".toByteArray())).use { other ->
            for (storage in listOf(broken, FileStorage(File("/nonexistent/state.json")))) {
                assertEquals(Allowed(), VersionGate(other.url, IDENTITY, storage).check())
            }
        }
    }

    @Test
    fun aKeptDenialThatHasEndedByItselfIsNone() {
        val end = "2026-12-20T03:00:00Z"
        for (state in listOf(
            Required(Facts.of(mapOf("brownoutUntil" to end))), Maintenance(Facts.of(mapOf("maintenanceUntil" to end)))
        )) {
            val key = listOf("com.example.shop", "ios", "3.4.9", null)
            val storage = Kept(Json.write(mapOf("identity" to key, "state" to wire(state))))
            for ((before, last) in listOf(1L to state, 0L to null)) {
                val client = VersionGate(NOWHERE, IDENTITY, storage, clock = { parseTime(end)!! - before })
                assertEquals(Unknown(last), client.check())
            }
        }
    }

    @Test
    fun othersAreNotToldWhoTheClientIs() {
        val client = VersionGate("https://API.example.com/", IDENTITY)
        for (url in listOf("https://api.example.com", "https://api.example.com:443/a?b", "HTTPS://api.example.COM/")) {
            assertTrue(url, client.serves(url))
        }
        for (url in listOf(
            "http://api.example.com/", "https://api.example.com:8443/", "https://api.example.com.evil.example/",
            "https://evil.example/https://api.example.com", "nonsense", "", "data:,x"
        )) {
            assertFalse(url, client.serves(url))
        }
    }

    @Test
    fun theAppMakesItsOwnConnections() {
        val made = LinkedBlockingQueue<URL>()
        Server(answer = reply(200, JSON, "{\"decision\":\"allow\"}".toByteArray())).use { other ->
            val client = VersionGate(other.url, IDENTITY, connect = {
                made.add(it)
                it.openConnection() as HttpURLConnection
            })
            assertEquals(Allowed(), client.check("/a b", "GET"))
            assertEquals("/.versiongate/status?path=%2Fa+b&method=GET", made.poll()!!.file)
        }
    }
}
