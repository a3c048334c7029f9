// Checks the version when the app starts. Run it with the gate's URL and the app's version.
import versiongate.Allowed
import versiongate.Identity
import versiongate.Maintenance
import versiongate.Recommended
import versiongate.Required
import versiongate.Unknown
import versiongate.VersionGate

fun main(args: Array<String>) {
    val (url, version) = args
    val gate = VersionGate(url, Identity(platform = "android", version = version))

    when (val state = gate.check()) {
        is Recommended -> println("start, and offer ${state.update.latestVersion}")
        is Required -> println("update first: ${state.update.storeUrl}")
        is Maintenance -> println("come back later")
        is Allowed, is Unknown -> println("start") // unknown: there is no network
    }
}
