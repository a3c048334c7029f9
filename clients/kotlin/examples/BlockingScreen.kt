// Shows and hides a screen while the app is in use. Run it with the gate's URL and the app's version.
import versiongate.Identity
import versiongate.Required
import versiongate.VersionGate

fun main(args: Array<String>) {
    val (url, version) = args
    val gate = VersionGate(url, Identity(platform = "android", version = version))

    // The listener is called on a thread of its own, which does not keep the program running.
    gate.states { state ->
        if (state is Required) {
            val update = state.update
            val button = if (update.cannotUpdate) "" else " [${update.button}: ${update.storeUrl}]"
            println("show: ${update.title}: ${update.message}$button")
        } else {
            println("hide")
        }
    }.use { Thread.currentThread().join() }
}
