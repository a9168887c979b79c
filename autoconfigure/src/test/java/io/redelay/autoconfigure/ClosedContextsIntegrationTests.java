package io.redelay.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left of contexts that were used and closed.
 */
class ClosedContextsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void nothingStaysOfManyContexts(@TempDir Path directory) throws Exception {
		Path out = directory.resolve("out.txt");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m",
				// What only caches hold is dropped.
				"-XX:SoftRefLRUPolicyMSPerMB=0", "-cp", System.getProperty("java.class.path"),
				ContextSeries.class.getName(), redis.uri().toString(),
				// With fewer, the pools of Netty seem to grow with each.
				String.valueOf(Extent.of(10, 30)))
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
