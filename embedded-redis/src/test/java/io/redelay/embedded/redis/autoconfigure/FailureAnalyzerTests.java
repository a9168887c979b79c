package io.redelay.embedded.redis.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for what an application says when its embedded Redis can't be had.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalyzerTests {

	@Test
	void namesThePortThatIsTakenAndTheMend(CapturedOutput output, @TempDir Path directory) throws IOException {
		try (ServerSocket foreign = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
			Thread rude = new Thread(() -> {
				try {
					while (true) {
						foreign.accept().close();
					}
				}
				catch (IOException ex) {
					// The test is over.
				}
			});
			rude.start();
			assertThatException().isThrownBy(() -> run(foreign.getLocalPort(), directory));
			assertThat(output).contains("APPLICATION FAILED TO START")
				.contains("Port %d is taken by something that is no Redis server".formatted(foreign.getLocalPort()))
				.contains("was left alone")
				.contains("set spring.data.redis.host")
				.contains("on another port than %d, set redelay.embedded-redis.port".formatted(foreign.getLocalPort()));
		}
	}

	@Test
	void quotesTheReasonAndNamesTheMend(CapturedOutput output, @TempDir Path directory) throws IOException {
		Path file = Files.createFile(directory.resolve("file"));
		// Nothing listens on port 1.
		assertThatException().isThrownBy(() -> run(1, file));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Cannot write to '%s'".formatted(file))
			.contains("set redelay.embedded-redis.directory")
			.contains("set redelay.embedded-redis.startup-timeout");
	}

	private static void run(int port, Path directory) {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.build();
		application.run("--redelay.embedded-redis.port=" + port, "--redelay.embedded-redis.directory=" + directory)
			.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(EmbeddedRedisAutoConfiguration.class)
	static class Application {

	}

}
