/// The country codes of stores.
enum Storefront {
    /// Returns the two-letter code (ISO 3166-1 alpha-2) for a country code, in lower case; `nil`
    /// for an unknown code.
    ///
    /// StoreKit uses three letters (`Storefront.countryCode`), and Google Play Billing uses two
    /// letters (`BillingConfig.getCountryCode`).
    static func country(_ code: some StringProtocol) -> String? {
        guard code.utf8.allSatisfy(\.isLetter) else { return nil }
        switch code.utf8.count {
        case 2: return code.lowercased()
        case 3: return Self.countries[code.lowercased()]
        case _: return nil
        }
    }

    private static let countries: [String: String] = Dictionary(
        uniqueKeysWithValues: Self.codes.split(whereSeparator: \.isWhitespace).map { pair in
            (String(pair.prefix(3)), String(pair.suffix(2)))
        }
    )

    /// The ISO 3166-1 codes as pairs: alpha-3, directly followed by alpha-2.
    ///
    /// The list includes XKS, Apple's code for Kosovo, because ISO assigns none.
    private static let codes = """
        abwaw afgaf agoao aiaai alaax albal andad areae argar armam asmas ataaq atftf atgag
        ausau autat azeaz bdibi belbe benbj besbq bfabf bgdbd bgrbg bhrbh bhsbs bihba blmbl
        blrby blzbz bmubm bolbo brabr brbbb brnbn btnbt bvtbv bwabw cafcf canca cckcc chech
        chlcl chncn civci cmrcm codcd cogcg cokck colco comkm cpvcv cricr cubcu cuwcw cxrcx
        cymky cypcy czecz deude djidj dmadm dnkdk domdo dzadz ecuec egyeg erier esheh espes
        estee ethet finfi fjifj flkfk frafr frofo fsmfm gabga gbrgb geoge ggygg ghagh gibgi
        gingn glpgp gmbgm gnbgw gnqgq grcgr grdgd grlgl gtmgt gufgf gumgu guygy hkghk hmdhm
        hndhn hrvhr htiht hunhu idnid imnim indin iotio irlie irnir irqiq islis isril itait
        jamjm jeyje jorjo jpnjp kazkz kenke kgzkg khmkh kirki knakn korkr kwtkw laola lbnlb
        lbrlr lbyly lcalc lieli lkalk lsols ltult luxlu lvalv macmo mafmf marma mcomc mdamd
        mdgmg mdvmv mexmx mhlmh mkdmk mliml mltmt mmrmm mneme mngmn mnpmp mozmz mrtmr msrms
        mtqmq musmu mwimw mysmy mytyt namna nclnc nerne nfknf ngang nicni niunu nldnl norno
        nplnp nrunr nzlnz omnom pakpk panpa pcnpn perpe phlph plwpw pngpg polpl pripr prkkp
        prtpt prypy pseps pyfpf qatqa reure rouro rusru rwarw sausa sdnsd sensn sgpsg sgsgs
        shnsh sjmsj slbsb slesl slvsv smrsm somso spmpm srbrs ssdss stpst sursr svksk svnsi
        swese swzsz sxmsx sycsc syrsy tcatc tcdtd tgotg thath tjktj tkltk tkmtm tlstl tonto
        ttott tuntn turtr tuvtv twntw tzatz ugaug ukrua umium uryuy usaus uzbuz vatva vctvc
        venve vgbvg virvi vnmvn vutvu wlfwf wsmws xksxk yemye zafza zmbzm zwezw
        """
}
