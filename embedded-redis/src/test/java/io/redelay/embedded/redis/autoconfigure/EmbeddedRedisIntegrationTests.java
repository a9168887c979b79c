package io.redelay.embedded.redis.autoconfigure;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EmbeddedRedisAutoConfiguration} with real processes.
 */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedRedisIntegrationTests {

	private final int port = freePort();

	@TempDir
	private Path directory;

	/**
	 * Between the ports of servers and those of the buses of cluster nodes.
	 */
	private static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(23_000, 25_000);
			try (ServerSocket socket = new ServerSocket(port)) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// Another one then.
			}
		}
	}

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withPropertyValues("redelay.embedded-redis.port=" + this.port,
					"redelay.embedded-redis.directory=" + this.directory)
			.withConfiguration(
					AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));
	}

	@Test
	void anApplicationUsesTheEmbeddedRedis() {
		runner().run((context) -> {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			redis.opsForValue().set("name", "value");
			assertThat(redis.opsForValue().get("name")).isEqualTo("value");
			assertThat(context.getBean(LettuceConnectionFactory.class).getPort()).isEqualTo(this.port);
		});
	}

	@Test
	void isFoundByAnApplicationThatOnlyHasItOnItsClassPath() {
		new ApplicationContextRunner()
			.withPropertyValues("redelay.embedded-redis.port=" + this.port,
					"redelay.embedded-redis.directory=" + this.directory)
			.withUserConfiguration(Application.class)
			.run((context) -> assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
				.isEqualTo(this.port));
	}

	@Test
	void warnsOnceThatItIsForDevelopment(CapturedOutput output) {
		runner().run((context) -> {
			assertThat(context).hasNotFailed();
			String warning = "Started an embedded Redis on port %d".formatted(this.port);
			assertThat(output.getOut().split(Pattern.quote(warning), -1)).hasSize(2);
			assertThat(output).contains("WARN")
				.contains("It is for development only")
				.contains(this.directory.toString());
		});
	}

	@Test
	void twoApplicationsShareAServer(CapturedOutput output) {
		runner().run((first) -> {
			first.getBean(StringRedisTemplate.class).opsForValue().set("name", "value");
			runner().run((second) -> assertThat(second.getBean(StringRedisTemplate.class).opsForValue().get("name"))
				.isEqualTo("value"));
			assertThat(output).contains("Joined an embedded Redis on port %d".formatted(this.port));
			assertThat(first.getBean(StringRedisTemplate.class).opsForValue().get("name")).isEqualTo("value");
		});
	}

	@Test
	void whatItHoldsIsThereTheNextTime() {
		runner().run((context) -> context.getBean(StringRedisTemplate.class).opsForValue().set("name", "value"));
		runner().run((context) -> assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("name"))
			.isEqualTo("value"));
	}

	@Test
	void usesTheConfiguredDatabase() {
		runner().withPropertyValues("spring.data.redis.database=3").run((context) -> {
			assertThat(context.getBean(DataRedisConnectionDetails.class).getStandalone().getDatabase()).isEqualTo(3);
			assertThat(context.getBean(LettuceConnectionFactory.class).getDatabase()).isEqualTo(3);
		});
	}

	@Test
	void endsAfterTheBeansThatUseIt() {
		runner().withUserConfiguration(LastWords.class)
			.run((context) -> assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("last"))
				.isNull());
		runner().run((context) -> assertThat(context.getBean(StringRedisTemplate.class).opsForValue().get("last"))
			.isEqualTo("words"));
	}

	@Test
	void anApplicationMayHaveAServerOfItsOwn(CapturedOutput output) {
		AtomicInteger port = new AtomicInteger();
		runner().withPropertyValues("redelay.embedded-redis.port=0").run((context) -> {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			redis.opsForValue().set("name", "value");
			assertThat(redis.opsForValue().get("name")).isEqualTo("value");
			port.set(context.getBean(LettuceConnectionFactory.class).getPort());
			assertThat(output).contains("Started an embedded Redis on port %d".formatted(port.get()));
		});
		assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.1", port.get()).close());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class LastWords {

		@Bean
		DisposableBean lastWords(DataRedisConnectionDetails details) {
			return () -> {
				Standalone server = details.getStandalone();
				LettuceConnectionFactory connections = new LettuceConnectionFactory(server.getHost(), server.getPort());
				connections.afterPropertiesSet();
				connections.start();
				new StringRedisTemplate(connections).opsForValue().set("last", "words");
				connections.destroy();
			};
		}

	}

}
