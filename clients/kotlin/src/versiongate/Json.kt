package versiongate

import java.util.regex.Pattern

/** JSON (RFC 8259) as maps, lists, strings, booleans, `Long`, `Double` and null. */
internal object Json {
    /** Parses a text; returns null if the text is `null` or not JSON. */
    fun read(text: String): Any? = try {
        JsonReader(text).document()
    } catch (error: Malformed) {
        null
    }

    fun write(value: Any?): String = StringBuilder().also { add(value, it) }.toString()

    private fun add(value: Any?, text: StringBuilder) {
        when (value) {
            is String -> addString(value, text)
            is Map<*, *> -> {
                text.append('{')
                for ((index, member) in value.entries.withIndex()) {
                    if (index > 0) text.append(',')
                    addString(member.key.toString(), text)
                    text.append(':')
                    add(member.value, text)
                }
                text.append('}')
            }
            is List<*> -> {
                text.append('[')
                for ((index, element) in value.withIndex()) {
                    if (index > 0) text.append(',')
                    add(element, text)
                }
                text.append(']')
            }
            else -> text.append(value)
        }
    }

    private fun addString(value: String, text: StringBuilder) {
        text.append('"')
        for (letter in value) {
            if (letter == '"' || letter == '\\') text.append('\\').append(letter)
            else if (letter >= ' ') text.append(letter)
            else text.append("\\u").append((letter - '\u0000').toString(16).padStart(4, '0'))
        }
        text.append('"')
    }
}

private class JsonReader(text: String) : Scanner(text) {
    fun document(): Any? {
        val value = value(0)
        skip(BLANKS)
        if (!isAtEnd) throw Malformed()
        return value
    }

    private fun value(depth: Int): Any? {
        if (depth > DEEPEST) throw Malformed()
        skip(BLANKS)
        return when (peek()) {
            '{' -> members(depth)
            '[' -> elements(depth)
            '"' -> string()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }
    }

    private fun members(depth: Int): Map<String, Any?> {
        val members = LinkedHashMap<String, Any?>()
        index += 1
        skip(BLANKS)
        if (take('}')) return members
        do {
            skip(BLANKS)
            if (peek() != '"') throw Malformed()
            val name = string()
            skip(BLANKS)
            expect(':')
            members[name] = value(depth + 1)
            skip(BLANKS)
        } while (take(','))
        expect('}')
        return members
    }

    private fun elements(depth: Int): List<Any?> {
        val elements = ArrayList<Any?>()
        index += 1
        skip(BLANKS)
        if (take(']')) return elements
        do {
            elements.add(value(depth + 1))
            skip(BLANKS)
        } while (take(','))
        expect(']')
        return elements
    }

    private fun string(): String {
        val read = StringBuilder()
        index += 1
        while (true) {
            val letter = next()
            when {
                letter == '"' -> return read.toString()
                letter == '\\' -> read.append(escaped())
                letter < ' ' -> throw Malformed()
                else -> read.append(letter)
            }
        }
    }

    private fun escaped(): Char {
        val letter = next()
        if (letter == 'u') {
            val digits = String(CharArray(4) { next() })
            if (!digits.all { it in '0'..'9' || it in 'a'..'f' || it in 'A'..'F' }) throw Malformed()
            return digits.toInt(16).toChar()
        }
        val place = "\"\\/bfnrt".indexOf(letter)
        if (place < 0) throw Malformed()
        return "\"\\/\b\u000c\n\r\t"[place]
    }

    private fun number(): Any {
        val match = NUMBER.matcher(text).region(index, text.length)
        if (!match.lookingAt()) throw Malformed()
        index = match.end()
        val isWhole = match.group(1) == null && match.group(2) == null
        return (if (isWhole) match.group().toLongOrNull() else null) ?: match.group().toDouble()
    }

    private fun word(word: String, value: Any?): Any? {
        if (!text.startsWith(word, index)) throw Malformed()
        index += word.length
        return value
    }

    private companion object {
        /** The maximum nesting depth; the gate never sends a more deeply nested document. */
        const val DEEPEST = 64
        const val BLANKS = " \t\r\n"
        val NUMBER: Pattern = Pattern.compile("-?(?:0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][+-]?[0-9]++)?")
    }
}
