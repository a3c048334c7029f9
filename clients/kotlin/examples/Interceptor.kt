// Sends a request to the backend with OkHttp. Run it with the gate's URL and the app's version.
import okhttp3.OkHttpClient
import okhttp3.Request
import versiongate.GateDenied
import versiongate.GateInterceptor
import versiongate.Identity
import versiongate.Maintenance
import versiongate.Required
import versiongate.VersionGate

fun main(args: Array<String>) {
    val (url, version) = args
    val gate = VersionGate(url, Identity(platform = "android", version = version))
    val http = OkHttpClient.Builder().addInterceptor(GateInterceptor(gate)).build()

    try {
        http.newCall(Request.Builder().url("$url/orders").build()).execute().use { println("status ${it.code()}") }
    } catch (denied: GateDenied) {
        when (val denial = denied.denial) {
            is Required -> println("denied: ${denial.update.message} ${denial.update.storeUrl}")
            is Maintenance -> println("maintenance: ${denial.window.message}")
        }
    }
}
