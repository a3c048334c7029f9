package versiongate

import kotlin.system.exitProcess
import org.junit.internal.RealSystem
import org.junit.internal.TextListener
import org.junit.runner.Description
import org.junit.runner.JUnitCore
import org.junit.runner.notification.Failure
import org.junit.runner.notification.RunListener

/** Runs the test classes in the arguments; the last lines of the output name the skipped tests, and count all tests. */
object RunTests {
    private class Counts : RunListener() {
        val started = mutableSetOf<Description>()
        val failed = mutableSetOf<Description>()
        val skipped = mutableMapOf<Description, String>()

        override fun testStarted(test: Description) {
            started += test
        }

        override fun testFailure(failure: Failure) {
            failed += failure.description
        }

        override fun testAssumptionFailure(failure: Failure) {
            skipped[failure.description] = failure.message ?: "an assumption does not hold"
        }

        override fun testIgnored(test: Description) {
            skipped[test] = "ignored"
        }
    }

    @JvmStatic
    fun main(names: Array<String>) {
        val counts = Counts()
        val core = JUnitCore()
        core.addListener(TextListener(RealSystem()))
        core.addListener(counts)
        core.run(*names.map { Class.forName(it) }.toTypedArray())
        for ((test, reason) in counts.skipped) println("SKIPPED: $test: $reason")
        val passed = (counts.started - counts.failed - counts.skipped.keys).size
        println("$passed passed, ${counts.failed.size} failed, ${counts.skipped.size} skipped")
        exitProcess(if (passed > 0 && counts.failed.isEmpty()) 0 else 1)
    }
}
