package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.redisson.RedissonConfigCustomizer;
import io.redelay.test.CapturedLog;
import io.redelay.test.UnsoundQueues;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.NettyHook;
import org.redisson.config.NameMapper;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Threads that wait for the result of a send make the request themselves, and lose
 * nothing by it.
 */
class CallerConnectionIntegrationTests extends FaultTests {

	private static final String NAME = "spring.data.redis.client-name=caller-test";

	private static final Duration SOON = Duration.ofMinutes(1);

	@Test
	void aSenderThatWaitsHasAConnectionOfItsOwn() {
		QueueOperations queue = queue(instance(Object.class, NAME));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		assertThat(connections()).hasSize((int) before + 1);
		assertThat(length()).isEqualTo(31);
	}

	@Test
	void theConnectionIsClosedWhenItIsNotUsed() {
		QueueOperations queue = queue(instance(Object.class, NAME));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		await().until(() -> connections().count() == before);
		sendMany(queue);
		assertThat(connections()).hasSize((int) before + 1);
	}

	@Test
	void aClosedApplicationLeavesNoConnection() {
		ConfigurableApplicationContext application = instance(Object.class, NAME);
		sendMany(queue(application));
		application.close();
		await().until(() -> connections().findAny().isEmpty());
	}

	@Test
	void allGoesThroughTheClientWithoutConnectionsForCallers() {
		QueueOperations queue = queue(instance(Object.class, NAME, "redelay.queue.send.caller-connections=0"));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		assertThat(connections()).hasSize((int) before);
	}

	@Test
	void aLargeRequestIsTheClients() {
		QueueOperations queue = queue(instance(Object.class, NAME));
		queue.send(this.queue, "first");
		long before = connections().count();
		for (int i = 0; i < 30; i++) {
			queue.send(this.queue, "x".repeat(40_000));
		}
		assertThat(connections()).hasSize((int) before);
		assertThat(length()).isEqualTo(31);
	}

	@Test
	void longPayloadsArriveWhole() {
		QueueOperations queue = queue(instance(Object.class, NAME));
		List<String> sent = IntStream.range(0, 50).mapToObj((i) -> i + "ä".repeat(300)).toList();
		queue.send(this.queue, sent.get(0));
		long before = connections().count();
		sent.subList(1, 50).forEach((payload) -> queue.send(this.queue, payload));
		assertThat(connections()).hasSize((int) before + 1);
		ConfigurableApplicationContext application = instance(Payloads.class);
		await().untilAsserted(() -> assertThat(application.getBean(Payloads.class).handled)
			.containsExactlyInAnyOrderElementsOf(sent));
	}

	@ParameterizedTest
	@ValueSource(classes = { Hooked.class, RenamedKeys.class, RenamedCommands.class })
	void aConnectionThatTheApplicationChangesIsTheClients(Class<?> change) {
		QueueOperations queue = queue(instance(change, NAME));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		assertThat(connections()).hasSize((int) before);
	}

	@Test
	void theConnectionHasTheUserAndTheDatabaseOfTheClient() {
		this.redis.command("ACL", "SETUSER", "app", "on", ">s3cret", "~*", "&*", "+@all");
		String url = this.redis.uri().toString().replace("//", "//app:s3cret@") + "/3";
		QueueOperations queue = queue(instance(Object.class, NAME, "spring.data.redis.url=" + url));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		assertThat(connections()).hasSize((int) before + 1)
			.allSatisfy((connection) -> assertThat(connection).contains("user=app", "db=3"));
	}

	@Test
	void whatTheAddressHasGoesFirst() {
		this.redis.command("ACL", "SETUSER", "app", "on", ">s3cret", "~*", "&*", "+@all");
		QueueOperations queue = queue(instance(OtherUser.class, NAME,
				"test.address=" + this.redis.uri().toString().replace("//", "//app:s3cret@")));
		queue.send(this.queue, "first");
		long before = connections().count();
		sendMany(queue);
		assertThat(connections()).hasSize((int) before + 1)
			.allSatisfy((connection) -> assertThat(connection).contains("user=app"));
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aServerThatTakesNoConnectionIsAskedLessAndLess(CapturedLog log) {
		Logger logger = (Logger) LoggerFactory.getLogger("io.redelay.queue.wire.CallerConnections");
		logger.setLevel(Level.DEBUG);
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			QueueOperations queue = queue(instance(Object.class, "spring.data.redis.url=" + proxy.uri()));
			queue.send(this.queue, "first");
			proxy.refuseConnections();
			long end = System.nanoTime() + Duration.ofMillis(5500).toNanos();
			while (System.nanoTime() < end) {
				queue.send(this.queue, "message");
			}
			assertThat(log.entriesWith("No connection for a calling thread")).hasSizeBetween(1, 3);
		}
		finally {
			logger.setLevel(null);
		}
	}

	@Test
	void aMessageIsThereOnceIfTheAnswerIsLost() {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			QueueOperations queue = queue(instance(Object.class, NAME, "spring.data.redis.url=" + proxy.uri()));
			sendMany(queue);
			proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(500));
			CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> queue.send(this.queue, "lost"));
			await().until(() -> length() == 31);
			proxy.dropConnections();
			proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
			assertThat(sent).succeedsWithin(SOON);
			assertThat(length()).isEqualTo(31);
			sendMany(queue);
			assertThat(length()).isEqualTo(61);
		}
	}

	@Test
	void threadsThatSendAtOnceLoseNoMessageOnConnectionsThatAreCut() {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			QueueOperations queue = queue(instance(Object.class, NAME, "spring.data.redis.url=" + proxy.uri()));
			List<CompletableFuture<Void>> senders = IntStream.range(0, 4)
				.mapToObj((number) -> CompletableFuture.runAsync(() -> {
					for (int i = 0; i < 10; i++) {
						sendMany(queue);
					}
				}, (task) -> new Thread(task).start()))
				.toList();
			for (int i = 1; i <= 4; i++) {
				int sent = i * 200;
				await().until(() -> length() > sent);
				proxy.dropConnections();
			}
			assertThat(senders).allSatisfy((sender) -> assertThat(sender).succeedsWithin(SOON));
			assertThat(length()).isEqualTo(1200);
		}
	}

	@Test
	void connectionsThatRedisClosesLoseNoMessage() {
		QueueOperations queue = queue(instance(Object.class));
		for (int i = 0; i < 5; i++) {
			sendMany(queue);
			this.redis.command("CLIENT", "KILL", "TYPE", "normal");
		}
		sendMany(queue);
		assertThat(length()).isEqualTo(180);
	}

	@Test
	void theClientLoadsAScriptThatRedisForgot() {
		QueueOperations queue = queue(instance(Object.class));
		sendMany(queue);
		this.redis.command("SCRIPT", "FLUSH");
		sendMany(queue);
		assertThat(length()).isEqualTo(60);
	}

	@Test
	void anErrorThatRedisRepliesWithIsTheClientsToJudge() {
		QueueOperations queue = queue(instance(Object.class));
		sendMany(queue);
		this.redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
		CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> queue.send(this.queue, "later"));
		assertThat(sent).isNotDone();
		this.redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
		assertThat(sent).succeedsWithin(SOON);
		assertThat(length()).isEqualTo(31);
	}

	@Test
	void aServerThatHasAllTheClientsItTakesIsReachedThroughTheClient() {
		QueueOperations queue = queue(instance(Object.class));
		queue.send(this.queue, "first");
		this.redis.command("CONFIG", "SET", "maxclients", "1");
		// No connection is left to look with.
		assertThatNoException().isThrownBy(() -> sendMany(queue));
	}

	@Test
	void aConnectionThatIsInUseWhenTheClientIsSuspendedIsClosedAfterwards() {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			ConfigurableApplicationContext application = instance(Object.class, NAME,
					"spring.data.redis.url=" + proxy.uri());
			QueueOperations queue = queue(application);
			sendMany(queue);
			proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(500));
			CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> queue.send(this.queue, "last"));
			await().until(() -> length() == 31);
			ClosedConnectionHook hook = (ClosedConnectionHook) redisson(application).getConfig().getNettyHook();
			hook.suspend();
			assertThat(sent).succeedsWithin(SOON);
			await().atMost(Duration.ofSeconds(1)).until(() -> connections().findAny().isEmpty());
			hook.resume();
		}
	}

	@Test
	@UnsoundQueues("a value that no script writes")
	void aScriptThatFailedAfterItsFirstWriteIsNotRunAgain() {
		QueueOperations queue = queue(instance(Object.class, NAME));
		sendMany(queue);
		String sleepers = "redelay:{" + this.queue + "}:sleepers";
		this.redis.command("SET", sleepers, "foreign");
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> queue.send(this.queue, "failed"))
			.isNotInstanceOf(SendOutcomeUnknownException.class)
			.withMessageContaining("WRONGTYPE");
		this.redis.command("DEL", sleepers);
		assertThat((List<?>) this.redis.command("LRANGE", "redelay:{" + this.queue + "}:ready", "0", "-1")).hasSize(31)
			.doesNotHaveDuplicates();
		sendMany(queue);
	}

	private void sendMany(QueueOperations queue) {
		for (int i = 0; i < 30; i++) {
			queue.send(this.queue, "message");
		}
	}

	private long length() {
		return (Long) this.redis.command("LLEN", "redelay:{" + this.queue + "}:ready");
	}

	private Stream<String> connections() {
		return String.valueOf(this.redis.command("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains("name=caller-test") && !line.contains("flags=P"));
	}

	static class Payloads {

		final Queue<String> handled = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherUser {

		@Bean
		RedissonConfigCustomizer user(@Value("${test.address}") String address) {
			return (config) -> config.setUsername("other").setPassword("wrong").useSingleServer().setAddress(address);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RenamedKeys {

		@Bean
		RedissonConfigCustomizer names() {
			return (config) -> config.setNameMapper(new NameMapper() {

				@Override
				public String map(String name) {
					return name;
				}

				@Override
				public String unmap(String name) {
					return name;
				}

			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RenamedCommands {

		@Bean
		RedissonConfigCustomizer commands() {
			return (config) -> config.setCommandMapper((command) -> command);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hooked {

		@Bean
		RedissonConfigCustomizer hook() {
			return (config) -> config.setNettyHook(new NettyHook() {

				@Override
				public void afterBoostrapInitialization(io.netty.bootstrap.Bootstrap bootstrap) {
				}

				@Override
				public void afterChannelInitialization(io.netty.channel.Channel channel) {
				}

			});
		}

	}

}
