package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The commands of the shop's README, run as they stand there but for the port and the
 * pause of a loop, print what the README says. All sections run at the same time, as most
 * of them wait.
 */
@ShopTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestPropertySource(properties = { "shop.exports.page-size=10", "shop.exports.latency=100ms",
		"shop.exports.folder=target/tour", "shop.digests.max-wait=20s" })
class TourIntegrationTests {

	private static final long SECTION_TIMEOUT_MINUTES = 5;

	@TempDir
	private static Path folder;

	private final Map<String, Process> processes = new HashMap<>();

	@LocalServerPort
	private int port;

	@BeforeAll
	void startAllSections() throws IOException {
		for (String program : List.of("bash", "curl")) {
			assumeThat(Path.of("/usr/bin", program)).exists();
		}
		for (Tour.Section section : sections()) {
			Path files = Files.createDirectory(folder(section));
			String commands = section.script(files)
				.replace("localhost:8080", "localhost:" + this.port)
				.replace("sleep 1;", "sleep 0.2;");
			Path script = Files.writeString(files.resolve("script"), commands);
			this.processes.put(section.title(),
					new ProcessBuilder("bash", script.toString()).redirectErrorStream(true)
						.redirectOutput(files.resolve("rest").toFile())
						.start());
		}
	}

	@AfterAll
	void endAllSections() {
		this.processes.values().forEach(Process::destroyForcibly);
	}

	static List<Tour.Section> sections() throws IOException {
		List<Tour.Section> sections = Tour.read(Path.of("README.md"));
		assertThat(sections).hasSizeGreaterThan(10);
		return sections;
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("sections")
	void printsWhatTheReadmeSays(Tour.Section section) throws Exception {
		Path files = folder(section);
		assertThat(this.processes.get(section.title()).waitFor(SECTION_TIMEOUT_MINUTES, TimeUnit.MINUTES))
			.as(() -> section.printed(files))
			.isTrue();
		assertThat(section.steps()).anyMatch((step) -> !step.answer().isEmpty()).allSatisfy((step) -> {
			if (!step.answer().isEmpty()) {
				assertThat(step.printed(files)).as(step.command()).matches(step.pattern());
			}
		});
	}

	private static Path folder(Tour.Section section) {
		return folder.resolve(section.title().replaceAll("\\W", "-"));
	}

}
