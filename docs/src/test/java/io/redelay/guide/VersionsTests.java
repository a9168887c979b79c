package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Versions}.
 */
class VersionsTests {

	@TempDir
	private Path site;

	@Test
	void putsVersionsBesideEachOtherNewestFirst() throws IOException {
		add("0.9.0");
		add("0.10.0");
		add("0.11.0-SNAPSHOT");
		assertThat(versions()).contains("\"0.11.0-SNAPSHOT\"", "\"0.10.0\"", "\"0.9.0\"")
			.startsWith("{\"current\":\"0.10.0\"");
		assertThat(versions().indexOf("{\"version\":\"0.10.0\""))
			.isLessThan(versions().indexOf("{\"version\":\"0.9.0\""));
		assertThat(first()).isEqualTo("0.10.0/index.html");
		assertThat(this.site.resolve("versions.js")).hasContent("window.guideVersions = " + versions() + ";");
	}

	@Test
	void leadsToASnapshotWhereNothingWasReleased() throws IOException {
		add("0.1.0-SNAPSHOT");
		assertThat(first()).isEqualTo("0.1.0-SNAPSHOT/index.html");
		add("0.1.0");
		assertThat(first()).isEqualTo("0.1.0/index.html");
	}

	@Test
	void replacesTheVersionThatIsMadeAgain() throws IOException {
		add("1.0.0");
		add("1.0.0");
		assertThat(versions()).containsOnlyOnce("{\"version\":\"1.0.0\"");
	}

	@Test
	void forgetsAVersionWhoseFolderIsGone() throws IOException {
		add("1.0.0");
		Files.delete(this.site.resolve("1.0.0"));
		add("1.1.0");
		assertThat(versions()).doesNotContain("1.0.0");
	}

	private void add(String version) throws IOException {
		Files.createDirectories(this.site.resolve(version));
		Versions.add(this.site, version, List.of("sending.html"));
	}

	private String versions() throws IOException {
		return Files.readString(this.site.resolve("versions.json")).strip();
	}

	private String first() throws IOException {
		return Jsoup.parse(this.site.resolve("index.html")).expectFirst("a").attr("href");
	}

}
