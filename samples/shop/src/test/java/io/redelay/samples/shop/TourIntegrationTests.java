package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The commands of the shop's README, run as they stand there but for the port, print what
 * the README says.
 */
@ShopTest
@TestPropertySource(properties = { "shop.exports.page-size=10", "shop.exports.latency=200ms",
		"shop.exports.folder=target/tour", "shop.digests.max-wait=15s" })
class TourIntegrationTests {

	private static final long SECTION_TIMEOUT_MINUTES = 5;

	@LocalServerPort
	private int port;

	@BeforeAll
	static void lookForTheProgramsThatTheCommandsNeed() {
		for (String program : List.of("bash", "curl")) {
			assumeThat(Path.of("/usr/bin", program)).exists();
		}
	}

	static List<Tour.Section> sections() throws IOException {
		List<Tour.Section> sections = Tour.read(Path.of("README.md"));
		assertThat(sections).hasSizeGreaterThan(10);
		return sections;
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("sections")
	@Execution(ExecutionMode.CONCURRENT)
	void printsWhatTheReadmeSays(Tour.Section section, @TempDir Path folder) throws Exception {
		Path script = Files.writeString(folder.resolve("script"),
				section.script(folder).replace("localhost:8080", "localhost:" + this.port));
		Process process = new ProcessBuilder("bash", script.toString()).redirectErrorStream(true)
			.redirectOutput(folder.resolve("rest").toFile())
			.start();
		try {
			assertThat(process.waitFor(SECTION_TIMEOUT_MINUTES, TimeUnit.MINUTES)).as(() -> section.printed(folder))
				.isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(section.steps()).anyMatch((step) -> !step.answer().isEmpty()).allSatisfy((step) -> {
			if (!step.answer().isEmpty()) {
				assertThat(step.printed(folder)).as(step.command()).matches(step.pattern());
			}
		});
	}

}
