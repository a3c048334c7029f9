package versiongate

internal class Malformed : Exception()

/** A parser that reads a text from start to end. */
internal abstract class Scanner(protected val text: String) {
    protected var index = 0

    protected val isAtEnd: Boolean get() = index >= text.length

    protected fun peek(): Char = if (isAtEnd) throw Malformed() else text[index]

    protected fun next(): Char = peek().also { index += 1 }

    /** Consumes the next character if it is the given one. */
    protected fun take(letter: Char): Boolean {
        if (isAtEnd || text[index] != letter) return false
        index += 1
        return true
    }

    protected fun expect(letter: Char) {
        if (!take(letter)) throw Malformed()
    }

    protected fun takeWhile(holds: (Char) -> Boolean): String {
        val start = index
        while (!isAtEnd && holds(text[index])) index += 1
        return text.substring(start, index)
    }

    protected fun skip(letters: String) {
        while (!isAtEnd && text[index] in letters) index += 1
    }
}
