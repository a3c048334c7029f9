package versiongate

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class JsonTest {
    @Test
    fun whatIsJsonIsRead() {
        for ((text, value) in listOf(
            " { } " to emptyMap<String, Any>(), "[ ]" to emptyList<Any>(), "\"\"" to "",
            "true" to true, " false\n" to false,
            "0" to 0L, "-12" to -12L, "1.5" to 1.5, "1e2" to 100.0, "-0.5E-1" to -0.05,
            "9223372036854775807" to Long.MAX_VALUE, "9223372036854775808" to 9.223372036854775808e18,
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\uDE00é\"" to "\"\\/\b\u000c\n\r\tA\ud83d\ude00é",
            "{\"a\" : [1, {\"b\":null}], \"c\":2,\"a\":3}" to mapOf("a" to 3L, "c" to 2L)
        )) {
            assertEquals(text, value, Json.read(text))
        }
    }

    @Test
    fun whatIsNotIsNothing() {
        for (text in listOf(
            "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}",
            "[1,]", "[1", "[1 2]",
            "tru", "nul", "True", "NaN", "Infinity", "01", "+1", "1.", ".5", "1e", "-", "0x1", "\"\\x\"", "\"\\u12\"",
            "\"\\u12g4\"", "\"\\u+123\"", "\"\n\"", "'a'", "1 1", "{} {}", "\ufeff{}", "\u00a0{}", "/**/1"
        )) {
            assertNull(text, Json.read(text))
        }
    }

    @Test
    fun whatIsTooDeepIsNothing() {
        assertNull(Json.read("[".repeat(100_000)))
        assertNull(Json.read("{\"a\":".repeat(100_000)))
        assertNull(Json.read("[".repeat(66) + "]".repeat(66)))
        val deep = Json.read("[".repeat(64) + "]".repeat(64)) as List<*>
        assertEquals(64, generateSequence(deep) { it.firstOrNull() as List<*>? }.count())
    }

    @Test
    fun whatIsWrittenIsReadAgain() {
        val value = mapOf(
            "a\"\\\n\u0001é\ud83d\ude00" to listOf(1L, null, true, "x", emptyMap<String, Any>()),
            "b" to mapOf("c" to listOf<Any>())
        )
        assertEquals(value, Json.read(Json.write(value)))
    }
}
