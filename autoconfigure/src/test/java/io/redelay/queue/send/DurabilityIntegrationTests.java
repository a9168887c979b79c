package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import javax.sql.DataSource;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.Durability;
import io.redelay.queue.DurabilityOutcome;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendNotDurableException;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.RedisReplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for sends that wait for copies, on a master with a real replica.
 */
class DurabilityIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(200);

	private static RedisReplication redis;

	private static RedissonClient client;

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	@BeforeAll
	static void start() {
		redis = RedisReplication.builder().replicas(1).start();
		Config config = TestRedis.config();
		config.useSingleServer().setAddress(redis.master().uri().toString()).setConnectionMinimumIdleSize(1);
		ClosedConnectionHook.install(config);
		client = Redisson.create(config);
		application = ListenerApplication.on(client).beans(Database.class).start();
		await().until(() -> ((String) redis.master().command("INFO", "replication")).contains("state=online"));
	}

	@AfterAll
	static void stop() {
		application.close();
		client.shutdown();
		redis.close();
	}

	@AfterEach
	void resume() {
		replica().resume();
	}

	@Test
	void replicaHasTheMessageWhenTheSendReturns() {
		SendResult result = queues().send(OutboundMessage.to(this.queue, "x").replicas(1, LONG));
		assertThat(result.durability()).isEqualTo(new DurabilityOutcome(true, 1, false, null));
		assertThat(replica().command("HLEN", messages())).isEqualTo(1L);
		assertThat(queues().send(this.queue, "y").durability()).isNull();
	}

	@Test
	void sendWithoutItsReplicaFailsAndTheMessageIsThere() {
		replica().pause();
		assertThatExceptionOfType(SendNotDurableException.class)
			.isThrownBy(() -> queues().send(OutboundMessage.to(this.queue, "x").id("a").replicas(1, SHORT)))
			.withMessageContaining("'" + this.queue + "' with the id 'a'")
			.withMessageContaining("after 200 ms 0 of 1 replicas had it")
			.satisfies((ex) -> assertThat(ex.getResult().outcome()).isEqualTo(SendOutcome.ADDED));
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(1L);
		assertThatExceptionOfType(SendNotDurableException.class).as("a duplicate, whose original has no copy")
			.isThrownBy(() -> queues().send(OutboundMessage.to(this.queue, "x").id("a").replicas(1, SHORT)))
			.satisfies((ex) -> assertThat(ex.getResult().duplicate()).isTrue());
		replica().resume();
		SendResult again = queues().send(OutboundMessage.to(this.queue, "x").id("a").replicas(1, LONG));
		assertThat(again.duplicate()).isTrue();
		assertThat(again.durability().reached()).isTrue();
	}

	@Test
	void theScriptIsSentOnceAndAgainWhenRedisHasForgottenIt() {
		queues().send(OutboundMessage.to(this.queue, "x").replicas(1, LONG));
		assertThat(received(10)).as("bytes of 10 sends").isLessThan(10_000);
		redis.master().command("SCRIPT", "FLUSH");
		assertThat(queues().send(OutboundMessage.to(this.queue, "y").replicas(1, LONG)).durability().reached())
			.isTrue();
		assertThat(received(10)).as("bytes of 10 sends after that").isLessThan(10_000);
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(22L);
	}

	private long received(int sends) {
		long before = receivedBytes();
		for (int i = 0; i < sends; i++) {
			queues().send(OutboundMessage.to(this.queue, "z").replicas(1, LONG));
		}
		return receivedBytes() - before;
	}

	private static long receivedBytes() {
		String stats = (String) redis.master().command("INFO", "stats");
		return Long.parseLong(stats.replaceAll("(?s).*total_net_input_bytes:(\\d+).*", "$1"));
	}

	@Test
	void resultNamesWhatIsThereOfWhatIsNotRequired() {
		replica().pause();
		SendResult result = queues()
			.send(OutboundMessage.to(this.queue, "x").durability(Durability.replicas(1, SHORT).bestEffort()));
		assertThat(result.durability()).isEqualTo(new DurabilityOutcome(false, 0, false, null));
	}

	@Test
	void sendAllNamesTheMessagesThatNeedCopies() {
		List<SendResult> results = queues().sendAll(
				List.of(OutboundMessage.to(this.queue, "a"), OutboundMessage.to(this.queue, "b").replicas(1, LONG)));
		assertThat(results).extracting(SendResult::durability)
			.containsExactly(null, new DurabilityOutcome(true, 1, false, null));
		replica().pause();
		assertThatExceptionOfType(SendNotDurableException.class)
			.isThrownBy(() -> queues().sendAll(List.of(OutboundMessage.to(this.queue, "c"),
					OutboundMessage.to(this.queue, "d").id("d").replicas(1, SHORT))))
			.withMessageContaining("with the id 'd'");
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(4L);
	}

	@Test
	void futureReportsCopiesAndKeepsTheOrder() throws Exception {
		assertThat(queues().sendAsync(OutboundMessage.to(this.queue, "x").replicas(1, LONG)).get().durability())
			.isEqualTo(new DurabilityOutcome(true, 1, false, null));
		replica().pause();
		var first = queues().sendAsync(OutboundMessage.to(this.queue, "y").id("first").replicas(1, SHORT));
		var second = queues().sendAsync(OutboundMessage.to(this.queue, "z").id("second"));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(first::get)
			.withCauseInstanceOf(SendNotDurableException.class);
		assertThat(second.get().durability()).isNull();
		List<?> ready = (List<?>) redis.master().command("LRANGE", "redelay:{" + this.queue + "}:ready", "0", "-1");
		assertThat(ready.subList(1, 3))
			.extracting((uid) -> redis.master().command("HGET", "redelay:{" + this.queue + "}:ids", "u:" + uid))
			.hasToString("[first, second]");
	}

	@Test
	void commitReportsCopies() {
		TransactionTemplate transaction = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
		SendResult estimate = transaction
			.execute((status) -> queues().send(OutboundMessage.to(this.queue, "x").replicas(1, LONG)));
		assertThat(estimate.durability()).isNull();
		assertThat(replica().command("HLEN", messages())).isEqualTo(1L);
		replica().pause();
		assertThatExceptionOfType(SendNotDurableException.class).isThrownBy(() -> transaction
			.executeWithoutResult((status) -> queues().send(OutboundMessage.to(this.queue, "y").replicas(1, SHORT))));
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(2L);
	}

	@Test
	void plainSendDoesNotWaitForOneThatWaits() throws Exception {
		replica().pause();
		CompletableFuture<SendResult> waiting = CompletableFuture
			.supplyAsync(() -> queues().send(OutboundMessage.to(this.queue, "x").replicas(1, LONG)));
		await().until(() -> redis.master().command("HLEN", messages()).equals(1L));
		queues().send(this.queue, "y");
		assertThat(waiting).isNotDone();
		replica().resume();
		assertThat(waiting.get().durability().reached()).isTrue();
	}

	@Test
	void sendWhoseConnectionIsCutWhileItWaitsGoesOnWithoutASecondMessage() throws Exception {
		replica().pause();
		CompletableFuture<SendResult> waiting = CompletableFuture
			.supplyAsync(() -> queues().send(OutboundMessage.to(this.queue, "x").replicas(1, LONG)));
		await().until(() -> redis.master().command("HLEN", messages()).equals(1L));
		redis.master().command("CLIENT", "KILL", "TYPE", "normal");
		replica().resume();
		assertThat(waiting.get().durability().reached()).isTrue();
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(1L);
	}

	@Test
	void serverWithoutTheCommandOrTheFileIsReported() {
		assertThatExceptionOfType(SendNotDurableException.class).isThrownBy(
				() -> queues().send(OutboundMessage.to(this.queue, "x").durability(Durability.appendOnlyFile(SHORT))))
			.withMessageContaining("the master did not have it in its append-only file")
			.withMessageContaining(hasWaitAof(redis.master()) ? "appendonly is disabled" : "unknown command");
		assertThat(redis.master().command("HLEN", messages())).isEqualTo(1L);
	}

	@Test
	void masterHasTheMessageInItsFile() {
		try (RedisServer server = RedisServer.builder().config("appendonly yes").start()) {
			Assumptions.assumeTrue(hasWaitAof(server), "WAITAOF came with Redis 7.2");
			assertThat(sendToFile(server).durability()).isEqualTo(new DurabilityOutcome(true, 0, true, null));
		}
	}

	@Test
	void whatTheServerSaysOfFilesIsRead() {
		// A command with numbers in and numbers out stands for the one that Redis 7.0
		// does not have.
		try (RedisServer server = RedisServer.builder().config("rename-command SMISMEMBER WAITAOF").start()) {
			server.command("SADD", "1", "0");
			assertThat(sendToFile(server).durability()).isEqualTo(new DurabilityOutcome(true, 0, true, null));
			assertThat((String) server.command("INFO", "commandstats")).contains("cmdstat_smismember:calls=1,");
		}
	}

	private SendResult sendToFile(RedisServer server) {
		RedissonClient own = TestRedis.connect(server.uri());
		try (ListenerApplication files = ListenerApplication.on(own).start()) {
			return files.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.durability(Durability.appendOnlyFile(Duration.ofSeconds(20))));
		}
		finally {
			own.shutdown();
		}
	}

	@Test
	void copiesAreThoseOfTheMasterOfTheQueue() {
		try (RedisCluster cluster = RedisCluster.builder().masters(3).replicasPerMaster(1).start()) {
			Config config = TestRedis.config();
			config.useClusterServers()
				.addNodeAddress(cluster.nodes().stream().map((node) -> node.uri().toString()).toArray(String[]::new))
				.setMasterConnectionPoolSize(8)
				.setMasterConnectionMinimumIdleSize(1);
			RedissonClient own = Redisson.create(config);
			try (ListenerApplication clustered = ListenerApplication.on(own).start()) {
				for (int i = 0; i < 6; i++) {
					SendResult result = clustered.queues()
						.send(OutboundMessage.to(TestRedis.queue(), "x").replicas(1, LONG));
					assertThat(result.durability()).isEqualTo(new DurabilityOutcome(true, 1, false, null));
				}
				assertThatExceptionOfType(SendNotDurableException.class)
					.isThrownBy(() -> clustered.queues().send(OutboundMessage.to(this.queue, "x").replicas(2, SHORT)))
					.withMessageContaining("1 of 2 replicas had it");
			}
			finally {
				own.shutdown();
			}
		}
	}

	@Test
	void refusesWhatCannotBe() {
		assertThatIllegalArgumentException().isThrownBy(() -> Durability.replicas(0, LONG))
			.withMessage("'replicas' must be at least 1 if there is to be no copy in the append-only file");
		assertThatIllegalArgumentException().isThrownBy(() -> Durability.replicas(1, Duration.ofMinutes(1)))
			.withMessage("'timeout' must be 1 ms to 30 s, not PT1M");
	}

	@Test
	void topicsRefuseIt() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> queues().publish(OutboundMessage.to(this.queue, "x").replicas(1, LONG)))
			.withMessageContaining("is published to a topic, whose copies are not waited for");
	}

	private static boolean hasWaitAof(RedisServer server) {
		try {
			server.command("WAITAOF", "0", "0", "1");
			return true;
		}
		catch (RedisErrorException ex) {
			return false;
		}
	}

	private static RedisServer replica() {
		return redis.replicas().get(0);
	}

	private String messages() {
		return "redelay:{" + this.queue + "}:messages";
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

}
