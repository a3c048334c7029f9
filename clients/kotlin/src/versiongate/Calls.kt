package versiongate

import java.io.ByteArrayOutputStream
import java.net.URLDecoder

/** Returns the facts in a gRPC status: `grpc-message`, and google.rpc.ErrorInfo in `grpc-status-details-bin`. */
internal fun callFacts(message: String, details: String): Map<String, Any> {
    val facts = try {
        metadata(base64(details))
    } catch (error: Malformed) {
        // An invalid value counts as missing.
        HashMap<String, Any>()
    }
    // A build with dots is not a number, and counts as missing.
    facts.remove("minimumBuild")?.toString()?.toLongOrNull()?.let { facts["minimumBuild"] = it }
    facts["cannotUpdate"]?.let { facts["cannotUpdate"] = it == "true" }
    if (message != "") facts["message"] = percentDecoded(message)
    return facts
}

/** Returns the trailers in the content of a gRPC-Web response: a frame whose lines end with CRLF, or its Base64. */
internal fun webTrailers(mediaType: String, content: String): Map<String, String> {
    val frame = try {
        val isEncoded = mediaType.startsWith("application/grpc-web-text")
        if (isEncoded) String(base64(content), Charsets.ISO_8859_1) else content
    } catch (error: Malformed) {
        // Invalid content counts as missing.
        ""
    }
    // The head of the frame precedes the first trailer, which is the status.
    return frame.split("\r\n").filter { ':' in it }
        .associate { it.substringBefore(':') to it.substringAfter(':').trim() }
}

private fun metadata(status: ByteArray): HashMap<String, Any> {
    val found = HashMap<String, Any>()
    for (detail in contents(status, 3)) {
        if (!text(detail, 1).endsWith("/google.rpc.ErrorInfo")) continue
        for (info in contents(detail, 2)) {
            for (entry in contents(info, 3)) found[text(entry, 1)] = text(entry, 2)
        }
    }
    return found
}

private fun text(data: ByteArray, number: Int): String =
    contents(data, number).joinToString("") { String(it, Charsets.UTF_8) }

/** Returns the contents of all length-delimited fields with a number (Protocol Buffers encoding). */
private fun contents(data: ByteArray, number: Int): List<ByteArray> {
    val found = ArrayList<ByteArray>()
    var index = 0
    fun varint(): Long {
        var value = 0L
        for (shift in 0 until 64 step 7) {
            if (index == data.size) throw Malformed()
            val byte = data[index].toInt()
            index += 1
            value = value or ((byte and 0x7f).toLong() shl shift)
            if (byte >= 0) return value
        }
        throw Malformed()
    }
    while (index < data.size) {
        val key = varint()
        val size = varint()
        if (key and 7 == 0L) continue
        if (key and 7 != 2L || size < 0 || size > data.size - index) throw Malformed()
        val end = index + size.toInt()
        if (key ushr 3 == number.toLong()) found.add(data.copyOfRange(index, end))
        index = end
    }
    return found
}

/** Decodes Base64; `java.util.Base64` is only available since Android 8. */
private fun base64(text: String): ByteArray {
    val letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    val bytes = ByteArrayOutputStream()
    var bits = 0
    var count = 0
    for (letter in text.trimEnd('=')) {
        val value = letters.indexOf(letter)
        if (value < 0) throw Malformed()
        bits = ((bits shl 6) or value) and 0xffffff
        count += 6
        if (count < 8) continue
        count -= 8
        bytes.write(bits shr count)
    }
    return bytes.toByteArray()
}

private fun percentDecoded(text: String): String = try {
    // The decoder treats a plus as a space; in gRPC it is a plus.
    URLDecoder.decode(text.replace("+", "%2B"), "UTF-8")
} catch (error: IllegalArgumentException) {
    text
}
