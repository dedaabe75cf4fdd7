//! The release archive: both programs, the page, what one needs to know and the licences.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::environments::{self, Environment};
use crate::error::Error;
use crate::files::write_whole;
use crate::programs::{self, Profile};
use crate::progress::Progress;
use crate::project::Project;
use crate::{licences, page};

/// Builds target/dist/firstfault-VERSION-TARGET.tar.gz.
pub(crate) fn run(project: &Project, progress: &Progress) -> Result<(), Error> {
    let torch = environments::ensure(project, progress, Environment::Torch)?;
    let page = page::build(project, progress)?;
    let programs = programs::build(project, progress, Profile::Release, &torch)?;
    let host = project.host()?;
    let name = format!("firstfault-{}-{host}", project.version());
    progress.heading("pack the archive");
    let mut archive = Archive::new(&name);
    archive.file("firstfault", &programs.firstfault, 0o755)?;
    archive.file("firstfault-libtorch", &programs.worker, 0o755)?;
    archive.file("firstfault.html", &page, 0o644)?;
    for text in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        archive.file(text, &project.root().join(text), 0o644)?;
    }
    archive.bytes(
        "THIRD-PARTY-LICENCES.txt",
        licences::collect(project, &host)?.as_bytes(),
        0o644,
    )?;
    let path = project.target().join("dist").join(format!("{name}.tar.gz"));
    write_whole(&path, &archive.finish()?)?;
    progress.result(&path.display().to_string());
    Ok(())
}

/// A tar archive in memory whose bytes depend on its contents alone: no clock, no owner.
struct Archive {
    name: String,
    tar: tar::Builder<GzEncoder<Vec<u8>>>,
}

impl Archive {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            tar: tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best())),
        }
    }

    fn file(&mut self, name: &str, from: &Path, mode: u32) -> Result<(), Error> {
        let bytes = fs::read(from).map_err(Error::file("read", from))?;
        self.bytes(name, &bytes, mode)
    }

    fn bytes(&mut self, name: &str, bytes: &[u8], mode: u32) -> Result<(), Error> {
        let path = Path::new(&self.name).join(name);
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_cksum();
        self.tar
            .append_data(&mut header, &path, bytes)
            .map_err(Error::file("pack", &path))
    }

    fn finish(self) -> Result<Vec<u8>, Error> {
        let path = Path::new(&self.name);
        let mut gzip = self.tar.into_inner().map_err(Error::file("pack", path))?;
        gzip.flush().map_err(Error::file("pack", path))?;
        gzip.finish().map_err(Error::file("pack", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_holds_its_files_and_depends_on_nothing_else() {
        let make = || {
            let mut archive = Archive::new("firstfault-1");
            archive
                .bytes("firstfault", b"program", 0o755)
                .expect("packed");
            archive.finish().expect("packed")
        };
        let bytes = make();
        assert_eq!(bytes, make());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let found: Vec<_> = archive
            .entries()
            .expect("readable")
            .map(|entry| {
                let entry = entry.expect("readable");
                let mode = entry.header().mode().expect("a mode");
                (entry.path().expect("a path").display().to_string(), mode)
            })
            .collect();
        assert_eq!(found, [("firstfault-1/firstfault".to_owned(), 0o755)]);
    }
}
