package io.redelay.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left of contexts that were used and closed.
 */
@Tag("full")
class ClosedContextsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void nothingStaysOfThirtyContexts(@TempDir Path directory) throws Exception {
		Path out = directory.resolve("out.txt");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m",
				// What only caches hold is dropped.
				"-XX:SoftRefLRUPolicyMSPerMB=0", "-cp", System.getProperty("java.class.path"),
				ContextSeries.class.getName(), redis.uri().toString())
			.redirectErrorStream(true)
			.redirectOutput(out.toFile())
			.start();
		try {
			assertThat(process.waitFor(12, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		List<String> lines = Files.readAllLines(out);
		assertThat(lines).contains("DONE")
			.noneMatch((line) -> line.startsWith("STAYS "))
			.noneMatch((line) -> line.startsWith("ALIVE "));
	}

}
