package versiongate

/** A token with its parameters: each a string, a `Long`, a boolean, or `Unit` for unsupported types. */
internal class Item(val word: String, val parameters: Map<String, Any>)

/** Returns the tokens in a list of structured fields (RFC 9651); an empty list if it is invalid. */
internal fun tokens(field: String): List<Item> = try {
    FieldReader(field).list()
} catch (error: Malformed) {
    emptyList()
}

private class FieldReader(text: String) : Scanner(text) {
    private class Token(val word: String)

    fun list(): List<Item> {
        val items = ArrayList<Item>()
        skip(" \t")
        while (!isAtEnd) {
            val member = if (take('(')) innerList() else bare()
            val parameters = parameters()
            if (member is Token) items.add(Item(member.word, parameters))
            skip(" \t")
            if (isAtEnd) break
            expect(',')
            skip(" \t")
            if (isAtEnd) throw Malformed()
        }
        return items
    }

    private fun innerList() {
        while (true) {
            skip(" ")
            if (take(')')) return
            bare()
            parameters()
        }
    }

    private fun parameters(): Map<String, Any> {
        val found = LinkedHashMap<String, Any>()
        while (take(';')) {
            skip(" ")
            if (peek() !in 'a'..'z' && peek() != '*') throw Malformed()
            val key = takeWhile { it in 'a'..'z' || it in '0'..'9' || it in "_.*-" }
            found[key] = if (take('=')) bare() else true
        }
        return found
    }

    private fun bare(): Any {
        val first = peek()
        return when {
            first == '"' -> string()
            first == '?' -> boolean()
            first == '%' || first == ':' -> bytes()
            first == '@' || first == '-' || first in '0'..'9' -> number()
            isLetter(first) || first == '*' -> token()
            else -> throw Malformed()
        }
    }

    private fun token() = Token(takeWhile { isLetter(it) || it in '0'..'9' || it in "!#$%&'*+.^_`|~:/-" })

    private fun string(): String {
        val read = StringBuilder()
        index += 1
        while (true) {
            var letter = next()
            if (letter == '"') return read.toString()
            if (letter == '\\') {
                letter = next()
                if (letter != '"' && letter != '\\') throw Malformed()
            } else if (letter !in ' '..'~') {
                throw Malformed()
            }
            read.append(letter)
        }
    }

    private fun boolean(): Boolean {
        index += 1
        return when (next()) {
            '0' -> false
            '1' -> true
            else -> throw Malformed()
        }
    }

    /** Parses a display string or a byte sequence, and ignores its value. */
    private fun bytes() {
        if (take('%')) {
            expect('"')
            takeWhile { it != '"' }
            expect('"')
        } else {
            index += 1
            takeWhile { isLetter(it) || it in '0'..'9' || it in "+/=" }
            expect(':')
        }
    }

    /** Parses a number; decimals and dates are ignored. */
    private fun number(): Any {
        val isDate = take('@')
        val sign = if (take('-')) "-" else ""
        val digits = takeWhile { it in '0'..'9' }
        if (digits == "") throw Malformed()
        val isDecimal = take('.')
        if (isDecimal && takeWhile { it in '0'..'9' } == "") throw Malformed()
        val whole = if (isDate || isDecimal) null else (sign + digits).toLongOrNull()
        return whole ?: Unit
    }

    private fun isLetter(letter: Char) = letter in 'a'..'z' || letter in 'A'..'Z'
}
