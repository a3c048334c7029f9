package versiongate

import java.io.Closeable
import java.io.IOException
import java.net.HttpURLConnection
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

/** Follows `/.versiongate/events`, and reconnects after each loss. */
internal class StateStream(private val gate: VersionGate, private val listener: (State) -> Unit) : Closeable {
    private val closing = CountDownLatch(1)
    private val events = EventReader()
    @Volatile
    private var connection: HttpURLConnection? = null
    private var told: State? = null
    private var failures = 0

    private val isClosed: Boolean get() = closing.count == 0L

    fun start() = daemon {
        while (!isClosed) {
            follow()
            closing.await(gate.pause(events.retryMillis ?: POLITE_PAUSE, failures), TimeUnit.MILLISECONDS)
        }
    }

    override fun close() {
        closing.countDown()
        // Disconnecting may block, and Android does not allow network access on the main thread.
        daemon { connection?.disconnect() }
    }

    /** Reads one stream until it ends. */
    private fun follow() {
        var lines: Lines? = null
        while (true) {
            val state = try {
                if (lines == null) lines = open()
                next(lines)
            } catch (error: Exception) {
                // A connection that another thread closes can throw exceptions other than `IOException`.
                lose()
                null
            }
            if (state == null) break
            failures = 0
            gate.memory.remember(state)
            val shown = gate.memory.shown(state)
            if (shown != told) tell(shown)
        }
        connection?.disconnect()
    }

    private fun open(): Lines {
        events.restart()
        val connection = gate.openEvents(events.lastId)
        this.connection = connection
        val answer = head(connection)
        if (answer.status != 200 || answer.mediaType != "text/event-stream") throw IOException("not an event stream")
        return Lines(connection.inputStream)
    }

    /** Returns the next state; null at the end of the stream. */
    private fun next(lines: Lines): Known? {
        while (true) {
            val line = lines.next()
            if (isClosed) return null
            if (line == null) {
                if (!lines.hasRead) throw IOException("the event stream was empty")
                return null
            }
            events.read(line)?.let { return it }
        }
    }

    private fun lose() {
        failures += 1
        // Without an ID, the gate sends the current state again.
        events.lastId = null
        if (told !is Unknown) tell(gate.memory.unknown())
    }

    private fun tell(state: State) {
        if (isClosed) return
        told = state
        listener(state)
    }

    private companion object {
        const val POLITE_PAUSE = 3_000L
    }
}
