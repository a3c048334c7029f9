// Starts without a network. Run it with the gate's URL, the app's version and a file for the last state.
import java.io.File
import versiongate.FileStorage
import versiongate.Identity
import versiongate.Required
import versiongate.Unknown
import versiongate.VersionGate

fun main(args: Array<String>) {
    val (url, version, file) = args
    val storage = FileStorage(File(file))
    val gate = VersionGate(url, Identity(platform = "android", version = version), storage)

    val state = gate.check()
    when {
        state !is Unknown -> println("online")
        // The requirement may have been withdrawn since, so it does not block the app.
        state.last is Required -> println("start offline; last time, an update was required")
        else -> println("start offline")
    }
}
