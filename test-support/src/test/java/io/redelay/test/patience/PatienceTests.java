package io.redelay.test.patience;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Patience}.
 */
class PatienceTests {

	@Test
	void testsWaitUpToTwoMinutes() {
		AtomicLong remaining = new AtomicLong();
		Awaitility.await()
			.conditionEvaluationListener((looked) -> remaining.set(looked.getRemainingTimeInMS()))
			.until(() -> true);
		assertThat(remaining.get()).isBetween(61_000L, 120_000L);
	}

	@Test
	void allModulesWhoseTestsHaveTheSupportHaveIt() throws IOException {
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			List<Path> tested = modules
				.filter((module) -> Files.exists(module.resolve("pom.xml")) && Files.exists(module.resolve("src/test")))
				.filter((module) -> read(module.resolve("pom.xml")).contains("<artifactId>redelay-test-support<"))
				.toList();
			assertThat(tested).extracting((module) -> module.getFileName().toString())
				.contains("autoconfigure", "management-tests", "modulith", "outbox", "test-support");
			assertThat(tested)
				.allSatisfy((module) -> assertThat(read(module.resolve("src/test/resources/junit-platform.properties")))
					.contains("junit.jupiter.extensions.autodetection.enabled=true"));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot read '%s'".formatted(file), ex);
		}
	}

}
