/// The values of the command line, by setting.
extension Serve {
    var flags: [Setting: String] {
        let texts: [Setting: String?] = [
            .reusePort: self.reusePort ? "true" : nil, .proxyProtocol: self.proxyProtocol,
            .maxConnectionsPerAddress: self.maxConnectionsPerAddress,
            .maxPendingRequests: self.maxPendingRequests,
            .listen: self.listen, .tlsListen: self.tlsListen,
            .tlsCertificate: self.tlsCertificate, .tlsKey: self.tlsKey,
            .tlsClientCa: self.tlsClientCa, .adminListen: self.adminListen,
            .adminTokenFile: self.adminTokenFile, .previewSecretFile: self.previewSecretFile,
            .latencyMetrics: self.latencyMetrics,
            .census: self.census, .censusMaxCells: self.censusMaxCells,
            .censusInterval: self.censusInterval,
            .upstream: self.upstream,
            .upstreamProtocol: self.upstreamProtocol,
            .dnsRefresh: self.dnsRefresh, .upstreamCA: self.upstreamCA,
            .upstreamServerName: self.upstreamServerName, .rules: self.rules,
            .stateDir: self.stateDir,
            .strictStart: self.strictStart ? "true" : nil, .feedCA: self.feedCA,
            .threads: self.threads, .drainTimeout: self.drainTimeout,
            .headTimeout: self.headTimeout, .idleTimeout: self.idleTimeout,
            .parkAfter: self.parkAfter,
            .bodyTimeout: self.bodyTimeout, .connectTimeout: self.connectTimeout,
            .responseTimeout: self.responseTimeout, .tunnelTimeout: self.tunnelTimeout,
            .upstreamPing: self.upstreamPing,
            .maxHeadBytes: self.maxHeadBytes, .maxHeaderCount: self.maxHeaderCount,
            .maxTargetBytes: self.maxTargetBytes, .maxBodyBytes: self.maxBodyBytes,
            .maxConnections: self.maxConnections, .maxEventStreams: self.maxEventStreams,
            .clientEndpoints: self.clientEndpoints, .trustedProxies: self.trustedProxies,
            .accessLog: self.accessLog ? "true" : nil, .accessLogFormat: self.accessLogFormat,
            .logFormat: self.logFormat,
            .logLevel: self.logLevel,
        ]
        return texts.compactMapValues { $0 }
    }
}
