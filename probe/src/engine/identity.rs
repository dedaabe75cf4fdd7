//! Which card it was, without saying so: a hash of its UUID under a random salt. The same card has the same identity
//! under the same salt, and the UUID itself never enters a report.

use firstfault_schema::report::Pytorch;
use sha2::{Digest as _, Sha256};

/// How many hexadecimal digits of the hash are an identity.
const DIGITS: usize = 32;

/// A UUID as a worker told it, checked: nothing else gets in, so that no text can be smuggled through a hash. It stays
/// in this process.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Uuid(String);

impl std::fmt::Debug for Uuid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Uuid(…)")
    }
}

impl Uuid {
    /// `GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d` or the same without the prefix, or the 16 digits of AMD's cards; none for
    /// anything else, and for the nil UUID that virtual devices give.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bare = ["GPU-", "MIG-"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .unwrap_or(text);
        let groups: Vec<&str> = bare.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let shaped = matches!(lengths[..], [8, 4, 4, 4, 12] | [16])
            && groups
                .iter()
                .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let nil = bare.bytes().all(|byte| byte == b'0' || byte == b'-');
        (shaped && !nil).then(|| Self(bare.to_ascii_lowercase()))
    }

    /// The identity under `salt`.
    fn under(&self, salt: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(salt.as_bytes());
        hash.update(self.0.as_bytes());
        let mut text: String = hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        text.truncate(DIGITS);
        text
    }
}

/// Gives each device its identity under `salt`, or under a new one. Without any UUID there is no salt either.
pub(crate) fn identify(pytorch: &mut Pytorch, uuids: &[(u32, Uuid)], salt: Option<&str>) {
    let Some(devices) = pytorch.devices.as_mut() else {
        return;
    };
    let salt = salt.map_or_else(crate::protocol::nonce, str::to_owned);
    let mut any = false;
    for device in devices {
        device.identity = uuids
            .iter()
            .find(|(index, _)| *index == device.index)
            .map(|(_, uuid)| uuid.under(&salt));
        any |= device.identity.is_some();
    }
    pytorch.device_salt = any.then_some(salt);
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "GPU-7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d";

    #[test]
    fn only_what_has_the_shape_of_a_uuid_is_one() {
        for text in [
            ONE,
            &ONE[4..],
            &ONE.to_ascii_uppercase()[4..],
            "8f3c0a5b7d2e4f61",
        ] {
            assert!(Uuid::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "GPU-",
            "secret",
            "7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9",
            "7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9g",
            "7d1c2f60-9a4e-4b1d-8c55-0e6f3a2b1c9d-7d1c",
            "7d1c2f609a4e4b1d8c550e6f3a2b1c9d",
            "00000000-0000-0000-0000-000000000000",
            "0000000000000000",
        ] {
            assert!(Uuid::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_same_card_has_one_identity_under_one_salt_and_another_under_another() {
        let one = Uuid::parse(ONE).unwrap();
        let identity = one.under("a");
        assert_eq!(identity.len(), DIGITS);
        assert_eq!(identity, Uuid::parse(&ONE[4..]).unwrap().under("a"));
        assert_ne!(identity, one.under("b"));
        assert!(!format!("{one:?}").contains("7d1c2f60"));
    }
}
