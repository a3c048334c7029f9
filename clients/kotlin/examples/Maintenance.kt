// Waits until maintenance is over. Run it with the gate's URL and the app's version.
import java.util.concurrent.CountDownLatch
import versiongate.GateDenied
import versiongate.Identity
import versiongate.Maintenance
import versiongate.VersionGate

fun main(args: Array<String>) {
    val (url, version) = args
    val gate = VersionGate(url, Identity(platform = "android", version = version))

    try {
        gate.receive(gate.open("/orders")).close()
    } catch (denied: GateDenied) {
        val window = (denied.denial as? Maintenance ?: throw denied).window
        println("maintenance until ${window.maintenanceUntil}: ${window.message}")
    }

    val isOver = CountDownLatch(1)
    gate.states { state -> if (state !is Maintenance) isOver.countDown() }.use { isOver.await() }
    println("maintenance is over")
}
