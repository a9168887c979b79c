package io.redelay.lock.quorum;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.QueueHealthAutoConfiguration;
import io.redelay.autoconfigure.QueueMetricsAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LeaseLost;
import io.redelay.lock.LockApplication;
import io.redelay.lock.LockBackendException;
import io.redelay.lock.LockEvent;
import io.redelay.lock.LockException;
import io.redelay.lock.LockListener;
import io.redelay.lock.LockLostException;
import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.queue.actuate.QuorumHealthIndicator;
import io.redelay.queue.actuate.RedisHealthIndicator;
import io.redelay.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for locks that several servers keep together.
 */
@ExtendWith(CapturedLog.Extension.class)
class QuorumLockIntegrationTests {

	private String name = LockApplication.name();

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<AnnotationConfigApplicationContext> applications = new CopyOnWriteArrayList<>();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	@BeforeEach
	void startServers() {
		IntStream.range(0, 3).forEach((i) -> this.servers.add(RedisServer.start()));
	}

	@AfterEach
	void stop() {
		this.servers.stream().filter(RedisServer::isRunning).forEach(RedisServer::resume);
		this.applications.forEach(AnnotationConfigApplicationContext::close);
		this.servers.forEach(RedisServer::close);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isHeldOnAllServersAndReleasedOnAll() {
		Work work = start();
		assertThat(work.run(this.name, () -> await().until(() -> holders().size() == 3))).isEqualTo("run");
		await().until(() -> holders().isEmpty());
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isHadAndReleasedWithoutAMinority() {
		this.servers.get(0).kill();
		Work work = start();
		assertThat(work.run(this.name, () -> assertThat(holders()).isNotEmpty())).isEqualTo("run");
		this.servers.get(0).restart();
		this.servers.get(1).pause();
		await().ignoreExceptions().untilAsserted(() -> assertThat(work.run(LockApplication.name(), () -> {
		})).isEqualTo("run"));
		assertThat(types()).contains(LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withoutAMajorityIsNotSaidToBeBusy() {
		Work work = start(Duration.ofSeconds(1), Duration.ofMinutes(1));
		await().ignoreExceptions().untilAsserted(() -> work.run(this.name, () -> {
		}));
		this.servers.get(0).kill();
		this.servers.get(1).pause();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> work.run(this.name, () -> {
		})).withMessageContaining("quorum");
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> work.skip(this.name));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isHeldByOneAtATime() {
		Work one = start();
		Work other = start();
		AtomicInteger inside = new AtomicInteger();
		List<Integer> seen = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Void>> all = IntStream.range(0, 12)
			.mapToObj((i) -> CompletableFuture.runAsync(() -> ((i % 2 == 0) ? one : other).keepTrying(this.name, () -> {
				seen.add(inside.incrementAndGet());
				inside.decrementAndGet();
			}), (task) -> new Thread(task).start()))
			.toList();
		assertThat(all).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofMinutes(1)));
		assertThat(seen).hasSize(12).containsOnly(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isBusyWhileAMajorityIsHeldAndWhatAMinorityGaveIsGivenBack() {
		Work work = start();
		this.servers.get(0).command("SET", key(), "another");
		this.servers.get(1).command("SET", key(), "another");
		assertThat(work.skip(this.name)).isNull();
		await().until(() -> holders().equals(List.of("another", "another")));
		assertThat(types()).containsExactly(LockEvent.Type.BUSY);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isRenewedAlsoOnAServerThatWasStartedAnew() {
		Work work = start(Duration.ofSeconds(5), Duration.ofSeconds(15));
		work.run(this.name, () -> {
			await().until(() -> holders().size() == 3);
			this.servers.get(2).kill();
			this.servers.get(2).restart();
			// Its memory is empty until the lease is renewed.
			await().until(() -> holders().size() == 3);
		});
		await().until(() -> holders().isEmpty());
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isLostWithTheMajority() {
		Work work = start(Duration.ofSeconds(5), Duration.ofSeconds(15));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.important(this.name, () -> {
			await().until(() -> holders().size() == 3);
			this.servers.get(0).command("SET", key(), "another");
			this.servers.get(1).command("SET", key(), "another");
			await().until(() -> holders().equals(List.of("another", "another")));
		}));
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
		assertThat(holders()).containsExactly("another", "another");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isLostIfItCannotBeRenewedInTime() {
		Work work = start(Duration.ofSeconds(2), Duration.ofSeconds(6));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.important(this.name, () -> {
			this.servers.get(0).kill();
			this.servers.get(1).kill();
			// Given up on the last server when the lease is over without a majority.
			await().until(() -> this.servers.get(2).command("GET", key()) == null);
		}));
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void leaseIsNotRenewed() {
		Work work = start();
		work.leased(this.name, () -> await().until(() -> holders().isEmpty()));
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void minimalTimeIsHeldOnAllServers() {
		Work work = start();
		// A server that is held up for longer than its timeout is left out: once more
		// then.
		await().untilAsserted(() -> {
			this.name = LockApplication.name();
			work.minimal(this.name, () -> {
			});
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(this.servers)
					.allSatisfy((server) -> assertThat((Long) server.command("PTTL", key())).isGreaterThan(200_000L)));
		});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void waiterFailsWhenTheApplicationCloses() {
		Work work = start();
		this.servers.forEach((server) -> server.command("SET", key(), "another"));
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> work.keepTrying(this.name, () -> {
		}), (task) -> new Thread(task).start());
		await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
		this.applications.get(0).close();
		assertThat(waiting).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockException.class);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(booleans = { true, false })
	void serverThatGoesAwayIsLoggedAndMeasuredAndSoIsItsReturn(boolean hangs, CapturedLog log) {
		Work work = start(Duration.ofSeconds(2), Duration.ofMinutes(1));
		work.run(this.name, () -> {
		});
		RedisServer server = this.servers.get(1);
		String name = "127.0.0.1:" + server.port();
		if (hangs) {
			server.pause();
		}
		else {
			server.kill();
		}
		await().ignoreExceptions().until(() -> {
			work.run(this.name, () -> {
			});
			return log.entriesWith("WARN", "The server " + name + " of the quorum is not available").count() == 1;
		});
		assertThat(available(name)).isZero();
		assertThat(health().getStatus()).isEqualTo(RedisHealthIndicator.DEGRADED);
		assertThat(health().getDetails().toString()).contains(name + "=away");
		if (hangs) {
			server.resume();
		}
		else {
			server.restart();
		}
		await().until(() -> log.entriesWith("INFO", "The server " + name + " of the quorum is available").count() == 1);
		await().until(() -> available(name) == 1 && health().getStatus().equals(Status.UP));
		assertThat(log.entriesWith("WARN", name)).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withoutAMajorityTheHealthIsDown() {
		Work work = start(Duration.ofSeconds(2), Duration.ofMinutes(1));
		this.servers.get(0).kill();
		this.servers.get(1).pause();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> work.skip(this.name));
		await().until(() -> health().getStatus().equals(Status.DOWN));
	}

	/**
	 * Waits of 5 seconds for the server that hangs would take minutes.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void serverThatHangsIsWaitedForOnce() {
		Work work = start(Duration.ofSeconds(5), Duration.ofMinutes(1));
		this.servers.get(2).pause();
		work.run(this.name, () -> {
		});
		await().until(() -> available("127.0.0.1:" + this.servers.get(2).port()) == 0);
		AtomicInteger entries = new AtomicInteger();
		List<CompletableFuture<Void>> all = IntStream.range(0, 6).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			for (int entry = 0; entry < 10; entry++) {
				work.keepTrying(this.name, entries::incrementAndGet);
			}
		}, (task) -> new Thread(task).start())).toList();
		assertThat(all).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofSeconds(100)));
		assertThat(entries).hasValue(60);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void releaseIsSentAgainUntilItIsAnswered(@TempDir Path first, @TempDir Path second) {
		replace(0, first);
		replace(1, second);
		Work work = start(Duration.ofSeconds(1), Duration.ofMinutes(10));
		work.run(this.name, () -> {
			await().until(() -> holders().size() == 3);
			this.servers.get(0).kill();
			this.servers.get(1).kill();
		});
		assertThat(types()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASE_FAILED);
		this.servers.get(0).restart();
		this.servers.get(1).restart();
		await().until(() -> holders().isEmpty());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void minimalTimeIsTheFirstLease() {
		Work work = start();
		work.minimal(this.name, () -> await().untilAsserted(() -> assertThat(this.servers)
			.allSatisfy((server) -> assertThat((Long) server.command("PTTL", key())).isGreaterThan(200_000L))));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void renewalDoesNotShortenTheMinimalTime() {
		Work work = start(Duration.ofSeconds(1), Duration.ofSeconds(3));
		work.minimal(this.name, () -> {
			await().until(() -> holders().size() == 3);
			this.servers.get(2).command("DEL", key());
			// The next renewal takes it there again.
			await().untilAsserted(() -> assertThat(this.servers)
				.allSatisfy((server) -> assertThat((Long) server.command("PTTL", key())).isGreaterThan(100_000L)));
		});
	}

	/**
	 * Keeps what a server has when it is killed.
	 */
	private void replace(int index, Path directory) {
		this.servers.set(index, RedisServer.builder().appendOnly(directory).config("appendfsync always").start())
			.close();
	}

	private double available(String server) {
		return this.applications.get(0)
			.getBean(MeterRegistry.class)
			.get("redelay.lock.quorum.available")
			.tag("server", server)
			.gauge()
			.value();
	}

	private Health health() {
		return Objects.requireNonNull(this.applications.get(0).getBean(QuorumHealthIndicator.class).health());
	}

	private List<Object> holders() {
		return this.servers.stream()
			.filter(RedisServer::isRunning)
			.map((server) -> server.command("GET", key()))
			.filter(Objects::nonNull)
			.map(Object.class::cast)
			.toList();
	}

	private String key() {
		return "redelay:quorum:{" + this.name + "}";
	}

	private List<LockEvent.Type> types() {
		return this.events.stream().map(LockEvent::type).toList();
	}

	private Work start() {
		return start(Duration.ofSeconds(5), Duration.ofMinutes(1));
	}

	private Work start(Duration timeout, Duration lease) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		this.applications.add(context);
		TestPropertyValues
			.of("redelay.lock.quorum.timeout=" + timeout, "redelay.lock.quorum.lease-time=" + lease,
					"redelay.lock.quorum.addresses=" + this.servers.stream()
						.map((server) -> server.uri().toString())
						.collect(Collectors.joining(",")))
			.applyTo(context);
		context.registerBean("redissonClient", RedissonClient.class, () -> mock(RedissonClient.class));
		context.registerBean("recording", LockListener.class, () -> this.events::add);
		context.registerBean("meters", MeterRegistry.class, SimpleMeterRegistry::new);
		context.register(Work.class, LockAutoConfiguration.class, QueueHealthAutoConfiguration.class,
				QueueMetricsAutoConfiguration.class);
		context.refresh();
		Work work = context.getBean(Work.class);
		long up = this.servers.stream().filter(RedisServer::isRunning).count();
		// Who has just started may have to wait for its connections.
		await().until(() -> clients() >= up * this.applications.size());
		return work;
	}

	private long clients() {
		return this.servers.stream()
			.filter(RedisServer::isRunning)
			.mapToLong((server) -> ((String) server.command("CLIENT", "LIST")).lines()
				.filter((line) -> !line.contains("cmd=client"))
				.count())
			.sum();
	}

	static class Work {

		@MyLock(name = "#{name}", lockProvider = "quorum", waitTime = 60)
		public String run(String name, Runnable body) {
			body.run();
			return "run";
		}

		@MyLock(name = "#{name}", lockProvider = "quorum", lockStrategy = MyLockStrategy.SKIP_FAST)
		public String skip(String name) {
			return "run";
		}

		@MyLock(name = "#{name}", lockProvider = "quorum", lockStrategy = MyLockStrategy.KEEP_TRYING)
		public void keepTrying(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockProvider = "quorum", onLeaseLost = LeaseLost.THROW, waitTime = 60)
		public void important(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockProvider = "quorum", leaseTime = 3, waitTime = 60)
		public void leased(String name, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{name}", lockProvider = "quorum", minHold = 300, waitTime = 60)
		public void minimal(String name, Runnable body) {
			body.run();
		}

	}

}
