import GateCensus
import GateControl

/// The settings of the census.
struct CensusSettings {
    /// Cells of clients that are told apart in a minute, and on each event loop until it is asked.
    var maxCells: Int
    /// The time between two writes, which is lost in a crash.
    var interval: Duration
    /// The hash of device ids; `nil`: under a key of the gate's own.
    var hash: SipHash?
    /// The store that the gates of a fleet share; `nil`: none.
    var fleet: FleetStore.Settings?

    /// Whether devices are counted, and not requests alone.
    var countsDevices: Bool
    /// Whether a sample of the devices that are refused is kept.
    var samplesReturns: Bool

    /// The settings of the count on each event loop.
    func tally(hash: SipHash) -> CensusTally.Settings {
        CensusTally.Settings(
            maxCells: self.maxCells,
            hash: hash,
            countsDevices: self.countsDevices,
            samplesReturns: self.samplesReturns
        )
    }

    /// - Returns: `nil` if there is to be none.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        self.maxCells = try reader.number(.censusMaxCells, in: 1...100_000) ?? 2_000
        let seconds = try reader.seconds(.censusInterval) ?? 10
        self.interval = .milliseconds(Int64(seconds * 1_000))
        self.countsDevices = try reader.boolean(.censusDevices) ?? true
        self.samplesReturns = try reader.boolean(.censusReturns) ?? self.countsDevices
        self.hash = try reader.optional(.censusKeyFile, "a file with 32 hexadecimal digits") {
            CensusKey.hash(fromFile: $0)
        }
        self.fleet = try FleetStore.Settings(reader, self.hash)
        if !self.countsDevices {
            // Neither is of use without devices, and who asks for it believes that it is there.
            if self.fleet != nil { throw .needsDevices(.censusStore) }
            if self.samplesReturns { throw .needsDevices(.censusReturns) }
        }
        guard try reader.boolean(.census) ?? true else { return nil }
    }
}

extension FleetStore.Settings {
    /// The store that is set; `nil` if none is.
    ///
    /// - Parameters:
    ///   - reader: The settings.
    ///   - hash: The hash that all gates of the fleet have; `nil`: this one has its own.
    /// - Throws: What is missing, or cannot be understood.
    init?(_ reader: SettingsReader, _ hash: SipHash?) throws(SettingsError) {
        let password = try reader.optional(.censusStorePasswordFile, "a file with a password") {
            RedisAddress.password(inFile: $0)
        }
        let certificate = try ClientCertificate(reader)
        guard let text = reader.text(.censusStore) else { return nil }
        var place: RedisPlace
        do throws(RedisAddress.Failure) {
            place = RedisPlace(try RedisAddress(text), certificate: certificate)
        } catch {
            // Not the text itself, which may have a password in it.
            throw SettingsError("\(Setting.censusStore.flag): \(error.description)")
        }
        if let password { place.address.password = password }
        let authorities = reader.text(.censusStoreCA)
        place.trust = try TrustedAuthorities(.censusStoreCA, authorities)
        if !place.address.isSecure {
            // A check that is believed in and never made.
            if authorities != nil { throw .needsSecureStore(.censusStoreCA) }
            if certificate != nil { throw .needsSecureStore(.censusStoreCertificate) }
        }
        // Sketches under two keys have no device in common.
        guard let hash else { throw .missing(.censusKeyFile) }
        self.init(place: place, hash: hash)
    }
}

extension ClientCertificate {
    /// The certificate that a store is shown; `nil` if none is set.
    fileprivate init?(_ reader: SettingsReader) throws(SettingsError) {
        let chain = try reader.optional(
            .censusStoreCertificate,
            "a file with a certificate in PEM form"
        ) { Self.part(inFile: $0) }
        let key = try reader.optional(.censusStoreKey, "a file with a key in PEM form") {
            Self.part(inFile: $0)
        }
        guard let chain else {
            if key != nil { throw .missing(.censusStoreCertificate) }
            return nil
        }
        guard let key else { throw .missing(.censusStoreKey) }
        self.init(chain: chain, key: key)
    }
}
