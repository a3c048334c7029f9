package versiongate

import java.io.File
import java.io.IOException
import java.net.ConnectException
import java.net.HttpURLConnection
import java.net.URL
import java.nio.file.Files
import java.util.Collections
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.ClassRule
import org.junit.Test

/** Tests of the client against a real gate. */
class ClientTest {
    companion object {
        @ClassRule
        @JvmField
        val gate = Gate()
    }

    private fun client(storage: Storage? = null, url: String = gate.url, identity: Identity = IDENTITY) =
        VersionGate(url, identity, storage)

    private fun denied(client: VersionGate, path: String, set: (HttpURLConnection) -> Unit = {}): GateDenied {
        try {
            client.receive(client.open(path).also(set))
        } catch (error: GateDenied) {
            return error
        }
        throw AssertionError("not denied: $path")
    }

    private fun update(state: State): Facts = when (state) {
        is Recommended -> state.update
        is Required -> state.update
        else -> throw AssertionError("no update: $state")
    }

    private fun isToCome(time: String?) = parseTime(time!!)!! > System.currentTimeMillis()

    // Requests

    @Test
    fun aDeniedRequestThrowsAndSaysAllThatTheGateSays() {
        gate.change(rules("3.5.0"))
        for (method in listOf("GET", "POST")) {
            val denied = denied(client(), "/orders") { it.requestMethod = method }
            val update = (denied.denial as Required).update
            assertEquals("3.5.0", update.minimumVersion)
            assertEquals("https://example.com/app", update.storeUrl)
            assertEquals(update.message, denied.message)
            assertEquals(426, denied.answer.status)
        }
        assertEquals(Required(), denied(client(), "/orders") { it.requestMethod = "HEAD" }.denial)
    }

    @Test
    fun aStatusOfTheOperatorsOwnIsADenialToo() {
        for (status in listOf(403, 200)) {
            gate.change(rules("3.5.0", "    status: $status\n"))
            assertEquals("3.5.0", update(denied(client(), "/orders").denial).minimumVersion)
        }
    }

    @Test
    fun aRequestThatPassesHasTheIdentityAndItsAnswerIsWhole() {
        gate.change(rules("3.4.0"))
        val client = client()
        fun echo(connection: HttpURLConnection) =
            client.receive(connection).use { Json.read(it.content.reader().readText()) as Map<*, *> }

        val told = echo(client.open("/a"))
        assertEquals("/a", told["target"])
        assertEquals("3.4.9", (told["headers"] as Map<*, *>)["x-app-version"])
        assertEquals("ios", (told["headers"] as Map<*, *>)["x-app-platform"])
        val own = URL(gate.url + "/a").openConnection() as HttpURLConnection
        own.setRequestProperty("X-App-Version", "3.4.8")
        client.prepare(own)
        assertEquals("3.4.8", (echo(own)["headers"] as Map<*, *>)["x-app-version"])
        val foreign = URL(gate.backend.url + "/a").openConnection() as HttpURLConnection
        client.prepare(foreign)
        assertNull((echo(foreign)["headers"] as Map<*, *>)["x-app-version"])
    }

    @Test
    fun theProblemsOfOthersArePassedOnWhole() {
        for (size in listOf(2, 3_000_000)) {
            val body = "{\"type\":\"about:blank\"" + " ".repeat(size) + "}"
            Server(answer = reply(426, "Content-Type: application/problem+json", body.toByteArray())).use { other ->
                val client = client(url = other.url)
                val passed = client.receive(client.open("/a"))
                assertEquals(426, passed.answer.status)
                assertEquals(body, passed.content.reader().readText())
            }
        }
    }

    @Test
    fun anIdentityThatNoFieldCanCarryIsNotSent() {
        gate.change(rules("3.5.0"))
        val client = client(identity = IDENTITY.copy(device = "Zoë's\nphone", channel = ""))
        assertFalse("X-Device-Id" in client.headers())
        assertTrue(client.check() is Required)
        val renamed = VersionGate(gate.url, IDENTITY, fieldNames = mapOf("X-App-Version" to "X-Version"))
        assertEquals("3.4.9", renamed.headers()["X-Version"])
        assertFalse("X-App-Version" in renamed.headers())
    }

    // Status requests

    @Test
    fun warnedBrownoutMaintenanceAllowed() {
        val client = client()
        val plan = "    warnFrom: ${moment(-60)}\n    enforceFrom: ${moment(86_400)}\n"
        gate.change(rules("3.5.0", plan))
        val warned = client.check() as Recommended
        assertEquals("3.5.0", warned.update.latestVersion)
        assertTrue(isToCome(warned.update.enforceFrom))
        val passed = client.receive(client.open("/a"))
        assertEquals(200, passed.answer.status)
        assertEquals(warned.update.enforceFrom, update(hint(passed.answer)!!).enforceFrom)

        gate.change(rules("3.5.0", "$plan    brownouts: [{ from: ${moment(-60)}, until: ${moment(600)} }]\n"))
        assertTrue(isToCome((client.check() as Required).update.brownoutUntil))
        assertTrue(update(denied(client, "/a").denial).retryAfterSeconds!! in 1..600)

        gate.change(rules("3.4.0",
            "  - id: moving\n    match: { path: /archive/** }\n" +
                "    maintenance: { from: ${moment(-60)}, until: ${moment(600)} }\n"
        ))
        assertEquals(Allowed(), client.check())
        val moving = client.check("/archive/1", "GET") as Maintenance
        assertTrue(isToCome(moving.window.maintenanceUntil))
        val denied = denied(client, "/archive/1").denial as Maintenance
        assertEquals(moving.window.maintenanceUntil, denied.window.maintenanceUntil)
        // A requirement for a part of the API does not affect the state of the app.
        assertEquals(Allowed(), client.check())
    }

    @Test
    fun aStatusThatHasNotChangedIsNotSentAgain() {
        val asked = Collections.synchronizedList(ArrayList<String?>())
        Server { request, socket ->
            asked.add(request.headers["if-none-match"])
            val answer = if (asked.last() == null) {
                reply(200, "$JSON\nETag: \"1\"", "{\"decision\":\"allow\"}".toByteArray())
            } else {
                reply(304, "ETag: \"1\"")
            }
            answer(request, socket)
        }.use { other ->
            val client = client(url = other.url)
            assertEquals(listOf(Allowed(), Allowed()), listOf(client.check(), client.check()))
        }
        assertEquals(listOf(null, "\"1\""), asked)
        // The real gate supports entity tags as well.
        val client = client()
        assertEquals(client.check(), client.check())
    }

    @Test
    fun aKeptDenialIsOnlyTheLastOneKnownAndIsLifted() {
        gate.change(rules("3.5.0"))
        val folder = Files.createTempDirectory("gate").toFile()
        try {
            val storage = FileStorage(File(folder, "state.json"))
            val required = client(storage).check() as Required
            assertEquals(Unknown(required), client(storage, NOWHERE).check())
            // There is no stored state for another build.
            assertEquals(Unknown(null), client(storage, NOWHERE, IDENTITY.copy(version = "3.5.0")).check())
            gate.change(rules("3.4.0"))
            assertEquals(Allowed(), client(storage).check())
            assertEquals(Unknown(Allowed()), client(storage, NOWHERE).check())
            assertEquals(listOf("state.json"), folder.list()!!.toList())
        } finally {
            folder.deleteRecursively()
        }
    }

    @Test
    fun aRecommendationIsPutOffForItsTimeAndItsVersionARequirementNever() {
        fun recommended(version: String) = rules("1.0", "    recommended: \"$version\"\n    snooze: 1h\n")
        gate.change(recommended("4.0.0"))
        var now = System.currentTimeMillis()
        val storage = Kept()
        fun fresh() = VersionGate(gate.url, IDENTITY, storage, clock = { now })
        val client = fresh()
        val update = update(client.check())
        assertEquals(3_600L, update.snoozeSeconds)
        assertTrue(client.snooze(update))
        assertEquals(Allowed(), client.check())
        assertEquals(Allowed(), fresh().check())
        now += 3_599_999
        assertEquals(Allowed(), client.check())
        now += 1
        assertTrue(client.check() is Recommended)
        assertTrue(client.snooze(update))
        gate.change(recommended("4.1.0"))
        assertEquals("4.1.0", update(client.check()).latestVersion)
        gate.change(rules("3.5.0"))
        val required = client.check() as Required
        assertFalse(client.snooze(required.update))
        assertEquals(required, client.check())
    }

    // Streams

    @Test
    fun aLiveChangeIsToldAndLiftsByItself() {
        gate.change(rules("3.4.0"))
        Told(client()).use { told ->
            assertEquals(Allowed(), told.next())
            gate.change(rules("3.5.0"))
            assertTrue(told.next() is Required)
            gate.change(rules("3.4.0"))
            assertEquals(Allowed(), told.next())
        }
    }

    @Test
    fun aMaintenanceOfEverythingIsToldAndLiftsByItself() {
        val window = "  - id: moving\n    maintenance: { from: ${moment(-60)}, until: ${moment(600)} }\n"
        gate.change(rules("3.4.0"))
        val client = client()
        Told(client).use { told ->
            assertEquals(Allowed(), told.next())
            gate.change(rules("3.4.0", window))
            val moving = told.next() as Maintenance
            assertTrue(isToCome(moving.window.maintenanceUntil))
            assertEquals(moving, client.check())
            val denied = denied(client, "/a").denial as Maintenance
            assertTrue(denied.window.retryAfterSeconds!! in 1..600)
            gate.change(rules("3.4.0"))
            assertEquals(Allowed(), told.next())
            assertEquals(200, client.receive(client.open("/a")).answer.status)
        }
    }

    @Test
    fun aKeptDenialIsNoDenialBehindAPortalAndTheStreamLiftsIt() {
        gate.change(rules("3.5.0"))
        val storage = Kept()
        val required = client(storage).check() as Required
        // The app restarts behind a captive portal.
        gate.stop()
        Server(answer = ::page).use { login ->
            val portal = Server(gate.port) { asked, socket ->
                val answer = if (asked.target == "/page") ::page else reply(302, "Location: ${login.url}")
                answer(asked, socket)
            }
            val client = VersionGate(gate.url, IDENTITY, storage, chance = { 0.0 })
            Told(client).use { told ->
                try {
                    assertEquals(Unknown(required), told.next())
                    assertEquals(Unknown(required), client.check())
                    // The portal's page is returned to the app.
                    for (path in listOf("/page", "/redirected")) {
                        assertEquals(PAGE, client.receive(client.open(path)).content.reader().readText())
                    }
                } finally {
                    portal.close()
                    gate.write(rules("3.4.0"))
                    gate.run()
                }
                assertEquals(Allowed(), told.next())
            }
        }
        assertEquals(Unknown(Allowed()), client(storage, NOWHERE).check())
    }

    @Test
    fun aBrownoutEndsByItsDate() {
        val until = moment(3)
        gate.change(rules("3.5.0",
            "    warnFrom: ${moment(-60)}\n    enforceFrom: ${moment(86_400)}\n" +
                "    brownouts: [{ from: ${moment(-60)}, until: $until }]\n"
        ))
        Told(client()).use { told ->
            assertEquals(until, update(told.next()).brownoutUntil)
            assertTrue(told.next() is Recommended)
        }
    }

    @Test
    fun offlineIsNoDenialAndAStreamComesBackByItself() {
        gate.change(rules("3.5.0"))
        val client = VersionGate(gate.url, IDENTITY, Kept(), chance = { 0.0 })
        Told(client).use { told ->
            val required = told.next()
            assertTrue(required is Required)
            gate.stop()
            try {
                assertEquals(Unknown(required as Known), told.next())
                assertEquals(Unknown(required), client.check())
                try {
                    client.receive(client.open("/a"))
                    throw AssertionError("answered")
                } catch (error: IOException) {
                    assertTrue("$error", error is ConnectException)
                }
            } finally {
                gate.run()
            }
            // The last state is delivered first.
            assertEquals(required, told.next())
            gate.change(rules("3.4.0"))
            assertEquals(Allowed(), told.next())
        }
    }
}
