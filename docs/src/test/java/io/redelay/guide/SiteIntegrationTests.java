package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Follows what the site that was built refers to.
 */
class SiteIntegrationTests {

	private static final Path GUIDE = Path.of(System.getProperty("guide.folder"));

	private static final Map<Path, Document> PAGES = new HashMap<>();

	@BeforeAll
	static void read() throws IOException {
		try (Stream<Path> files = Files.list(GUIDE)) {
			for (Path file : files.filter((file) -> file.toString().endsWith(".html")).toList()) {
				PAGES.put(file.normalize(), Jsoup.parse(file));
			}
		}
	}

	@Test
	void linksAndImagesLeadSomewhere() {
		assertThat(PAGES).hasSizeGreaterThan(50);
		List<String> broken = new ArrayList<>();
		PAGES.forEach((file, page) -> {
			for (Element element : page.select("[href], [src]")) {
				String target = element.hasAttr("href") ? element.attr("href") : element.attr("src");
				if (!target.matches("(https?|mailto):.*") && !exists(file, target)) {
					broken.add(file.getFileName() + ": " + target);
				}
			}
		});
		assertThat(broken).isEmpty();
	}

	private static boolean exists(Path file, String target) {
		String[] parts = target.split("#", 2);
		Path other = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
		if (parts.length == 1) {
			return Files.exists(other);
		}
		Document page = PAGES.get(other);
		return page != null && page.getElementById(parts[1]) != null;
	}

	@Test
	void anchorsAreUnique() {
		PAGES.forEach((file, page) -> {
			Set<String> seen = new HashSet<>();
			assertThat(page.select("[id]").eachAttr("id")).as(file.toString()).allMatch(seen::add);
		});
	}

	@Test
	void everyPictureIsDescribed() {
		PAGES.forEach((file, page) -> {
			assertThat(page.select("img").eachAttr("alt")).as(file.toString()).noneMatch(String::isBlank);
			assertThat(page.select("main svg")).as(file.toString())
				.noneMatch((svg) -> svg.attr("aria-label").isBlank());
		});
	}

	@Test
	void theFirstPageOfTheSiteLeadsToThisVersion() throws IOException {
		String version = GUIDE.getFileName().toString();
		assertThat(GUIDE.resolveSibling("versions.json")).content().contains("\"" + version + "\"");
		String leads = Jsoup.parse(GUIDE.resolveSibling("index.html")).expectFirst("a").attr("href");
		assertThat(GUIDE.resolveSibling(leads)).exists();
	}

	@Test
	void everyChapterIsBehindOneDoor() throws IOException {
		Document index = PAGES.get(GUIDE.resolve("index.html").normalize());
		assertThat(index.select(".doors a").eachText()).startsWith("Learn", "Do", "Look up", "Understand");
		Set<String> seen = new HashSet<>();
		assertThat(index.select(".chapters > li > a").eachAttr("href")).hasSize(PAGES.size() - 1).allMatch(seen::add);
		try (Stream<Path> files = Files.list(Path.of("src/docs/asciidoc"))) {
			assertThat(files.filter((file) -> file.toString().endsWith(".adoc"))).hasSize(PAGES.size());
		}
	}

}
