package io.redelay.samples.lock;

import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockInfo;
import io.redelay.lock.MyLock;
import io.redelay.lock.annotation.InvalidMyLockException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for an application with the starter of the lock alone.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReportApplicationIntegrationTests {

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Test
	void oneOfTwoInstancesReports() {
		try (ConfigurableApplicationContext one = start(); ConfigurableApplicationContext other = start()) {
			one.getBean(NightlyReport.class).report();
			other.getBean(NightlyReport.class).report();
			assertThat(one.getBean(NightlyReport.class).reports()).isOne();
			assertThat(other.getBean(NightlyReport.class).reports()).isZero();
			List<LockInfo> held = other.getBean(LockAdmin.class).lock("nightly-report");
			assertThat(held).singleElement()
				.satisfies((lock) -> assertThat(lock.holders()).singleElement()
					.satisfies((holder) -> assertThat(holder.lease()).isPositive()));
		}
	}

	@Test
	void withoutLocksThereIsNoClient() {
		try (ConfigurableApplicationContext application = start("--redelay.lock.enabled=false")) {
			assertThat(application.getBeansOfType(RedissonClient.class)).isEmpty();
		}
	}

	@Test
	void aLockThatCannotBeIsExplainedAtTheStart(CapturedOutput output) {
		SpringApplication application = new SpringApplicationBuilder(ReportApplication.class, Wrong.class).build();
		assertThatException().isThrownBy(() -> application.run(arguments()))
			.withCauseInstanceOf(InvalidMyLockException.class);
		assertThat(output).contains("APPLICATION FAILED TO START", "Action:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "io.redelay.queue.QueueOperations", "org.springframework.messaging.Message",
			"tools.jackson.databind.ObjectMapper", "io.lettuce.core.RedisClient" })
	void whatOnlyQueuesNeedIsNotThere(String type) {
		assertThat(ClassUtils.isPresent(type, ReportApplication.class.getClassLoader())).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "io/redelay/queue", "io/redelay/queue/script" })
	void noJarOfTheQueueIsThere(String folder) throws IOException {
		assertThat(Collections.list(ReportApplication.class.getClassLoader().getResources(folder))).isEmpty();
	}

	@Test
	void noFolderOfTheQueueIsOnTheClassPath() throws IOException {
		String[] entries = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
			.split(File.pathSeparator);
		assertThat(entries).noneMatch((entry) -> entry.contains("redelay-queue")
				|| entry.contains(File.separator + "queue" + File.separator + "target"));
	}

	private static ConfigurableApplicationContext start(String... more) {
		return new SpringApplicationBuilder(ReportApplication.class).run(arguments(more));
	}

	private static String[] arguments(String... more) {
		return Stream.concat(Stream.of("--spring.data.redis.url=" + redis.uri()), Stream.of(more))
			.toArray(String[]::new);
	}

	static class Wrong {

		@MyLock(name = "#{nothing}")
		public void run(String parameter) {
		}

	}

}
