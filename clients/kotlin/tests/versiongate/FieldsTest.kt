package versiongate

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class FieldsTest {
    private fun hint(vararg lines: String) = hint(Answer(200, mapOf("x-VERSIONGATE" to lines.toList())))

    @Test
    fun aFieldThatCannotBeReadIsNoHint() {
        for (field in listOf(
            "", " ", ",", "recommend,", "recommend;", "recommend; latest=", "recommend; latest=\"a\u00e9\"",
            "recommend;Latest=1", "(recommend", "=", "\"recommend\"", "1", "?2", "recommend require", ":x", "@",
            "recommend, \"a", "recommend, \"\\a\"", "recommend, %a", "recommend, %\"a", "recommend, 1.", "recommend, -",
            "recommend, (a", "recommend, a;b=;c", "recommend; latest=\"" + "a".repeat(100_000)
        )) {
            assertNull(field, hint(field))
        }
    }

    @Test
    fun whatOthersMayWriteIsPassedOver() {
        val expected = Recommended(Facts.of(mapOf("latestVersion" to "4 \"\\", "snoozeSeconds" to 60L)))
        for (field in listOf(
            "recommend;latest=\"4 \\\"\\\\\";snooze-seconds=60",
            "  recommend; latest=\"\";latest=\"4 \\\"\\\\\"; snooze-seconds=60  ",
            "(a b;c=1 \"d\");e, 1, -2.5, @9, \"x\", %\"y\", :eA==:, ?0;f=?1,\t" +
                "recommend;  latest=\"4 \\\"\\\\\";snooze-seconds=60, recommend; latest=\"5\"",
            "*a/b:c, recommend; latest=\"4 \\\"\\\\\"; snooze-seconds=60; other=@1; more=tok; flag"
        )) {
            assertEquals(field, expected, hint(field))
        }
        assertEquals(expected, hint("allow", "recommend; latest=\"4 \\\"\\\\\"; snooze-seconds=60"))
    }

    @Test
    fun aParameterOfAnotherTypeIsNotThere() {
        for (field in listOf(
            "recommend", "recommend; latest=4; snooze-seconds=\"1\"", "recommend; latest; snooze-seconds=1.0",
            "recommend; latest=\"\"; snooze-seconds=99999999999999999999"
        )) {
            assertEquals(field, Recommended(), hint(field))
        }
    }

    @Test
    fun aMemberOfAnotherTypeIsNotThere() {
        val members = mapOf(
            "snoozeSeconds" to 1.5, "minimumBuild" to "7", "title" to 1L, "message" to "", "button" to null,
            "cannotUpdate" to "true", "other" to "x"
        )
        assertEquals(Facts(), Facts.of(members))
    }

    @Test
    fun theStrictestMemberCounts() {
        fun denial(vararg lines: String) = inspect(Answer(200, mapOf("X-VersionGate" to lines.toList())), null)
        assertEquals(Required(), denial("allow, require"))
        assertEquals(Maintenance(), denial("require", "maintenance"))
        assertNull(denial("allow", "recommend"))
        assertNull(denial("require,"))
        assertNull(hint("recommend, require"))
    }

    @Test
    fun waitingIsSaidInSecondsOnly() {
        fun seconds(value: String) = (inspect(
            Answer(426, mapOf("X-VersionGate" to listOf("require"), "Retry-After" to listOf(value))), null
        ) as Required).update.retryAfterSeconds
        assertEquals(120L, seconds("120"))
        for (other in listOf("", "-1", "1.5", "Sun, 10 Jan 2027 00:00:00 GMT", "99999999999999999999")) {
            assertNull(other, seconds(other))
        }
    }

    @Test
    fun timesAreReadAsTheWireWritesThem() {
        assertEquals(1_797_735_600_000L, parseTime("2026-12-20T03:00:00Z"))
        for (other in listOf(
            "", "2026-12-20", "2026-13-20T03:00:00Z", "2026-12-20T03:00:00+00:00", "2026-12-20T03:00:00Zx",
            "2026-1-20T003:00:00Z"
        )) {
            assertNull(other, parseTime(other))
        }
    }
}
