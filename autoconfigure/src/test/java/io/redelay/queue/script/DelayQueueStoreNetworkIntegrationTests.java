package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of the store behind a network that holds back, cuts and refuses.
 */
class DelayQueueStoreNetworkIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private RedisServer server;

	private TcpFaultProxy proxy;

	private RedissonClient client;

	@AfterAll
	static void stopTimer() {
		timer.shutdownNow();
	}

	@BeforeEach
	void connect() {
		this.server = RedisServer.builder().config("lua-time-limit 50").start();
		this.proxy = TcpFaultProxy.to(this.server);
		this.client = TestRedis.connect(this.proxy.uri(), TIMEOUT);
		loadScripts();
	}

	/**
	 * While answers are held back, the client does not hear that Redis does not know a
	 * script.
	 */
	private void loadScripts() {
		TestQueue other = queue(Duration.ofSeconds(20));
		other.sender().send(other.messages(1));
		other.consumer().claim(1);
	}

	@AfterEach
	void disconnect() {
		this.proxy.release(Direction.TO_CLIENT);
		this.proxy.release(Direction.TO_SERVER);
		this.client.shutdown();
		this.proxy.close();
		this.server.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSendWhoseReplyComesTooLateAddsOneMessage() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		sender.send(queue.messageWithId("a", "first"));
		long before = scriptsRun();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<SendReply> sent = sender
			.sendAsync(List.of(queue.messageWithId("a", "again"), queue.messageWithId("b", "second")));
		await().until(() -> scriptsRun() >= before + 2);
		this.proxy.release(Direction.TO_CLIENT);
		SendReply reply = TestQueue.get(sent);
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		assertThat(reply.fates()).containsOnlyKeys(0);
		assertThat(count(queue, "HLEN", "messages")).isEqualTo(2);
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClaimWhoseReplyComesTooLateGivesOneBatchAndSettlesOnce() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		queue.sender().send(queue.messages(20));
		TestQueue.Consumer consumer = queue.consumer();
		ClaimReply.Message first = consumer.claim(1).messages().get(0);
		long before = scriptsRun();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<ClaimReply> claimed = consumer.claimAsync(5, Duration.ZERO,
				List.of(Settlement.retry(first.uid(), 1, Duration.ZERO), Settlement.ack("another", 7),
						Settlement.giveBack("unknown", 1, Duration.ZERO)));
		await().until(() -> scriptsRun() >= before + 3);
		this.proxy.release(Direction.TO_CLIENT);
		ClaimReply reply = TestQueue.get(claimed);
		assertThat(reply.messages()).hasSize(5).extracting(TestQueue::payload).startsWith("m1");
		assertThat(reply.refused()).containsExactly("unknown");
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(15);
		assertThat(this.server.command("HGET", queue.key("tries"), first.uid())).isEqualTo("1");
		assertThat(consumer.claim(20).messages()).hasSize(15);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReplyLostWithItsConnectionIsAskedForAgain() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		TestQueue.Consumer consumer = queue.consumer();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<SendReply> sent = sender.sendAsync(queue.messages(3));
		await().until(() -> count(queue, "LLEN", "ready") == 3);
		this.proxy.dropConnections();
		this.proxy.release(Direction.TO_CLIENT);
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<ClaimReply> claimed = consumer.claimAsync(2, Duration.ZERO, List.of());
		await().until(() -> count(queue, "LLEN", "ready") == 1);
		this.proxy.dropConnections();
		this.proxy.release(Direction.TO_CLIENT);
		assertThat(TestQueue.get(claimed).messages()).extracting(TestQueue::payload).containsExactly("m0", "m1");
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatArrivesAfterItsRepetitionsDoesNothing() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		TestQueue.Consumer consumer = queue.consumer();
		this.proxy.hold(Direction.TO_SERVER);
		CompletableFuture<SendReply> sent = sender.sendAsync(queue.messages(3));
		CompletableFuture<ClaimReply> claimed = consumer.claimAsync(2, Duration.ZERO, List.of());
		await().pollDelay(TIMEOUT.multipliedBy(3)).until(() -> count(queue, "EXISTS", "ready") == 0);
		this.proxy.release(Direction.TO_SERVER);
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		ClaimReply reply = TestQueue.get(claimed);
		ClaimReply rest = consumer.claim(5);
		assertThat(reply.messages().size() + rest.messages().size()).isEqualTo(3);
		assertThat(count(queue, "HLEN", "messages")).isEqualTo(3);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatIsNeverAnsweredHasAnUnknownOutcome() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		this.proxy.hold(Direction.TO_CLIENT);
		assertThat(failure(sendFor(Duration.ofSeconds(1), queue, sender, 1)))
			.isInstanceOf(OutcomeUnknownException.class)
			.hasMessageContaining(queue.name);
		await().until(() -> count(queue, "LLEN", "ready") == 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatFoundNoConnectionCertainlyDidNothing() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		this.proxy.refuseConnections();
		this.proxy.dropConnections();
		// The client takes a broken connection for a live one until it has heard of it.
		await().until(() -> failure(queue(Duration.ZERO).store.names().addQueue(queue.name))
			.getClass() == StoreException.class);
		assertThat(failure(sendFor(Duration.ofSeconds(1), queue, sender, 1))).isExactlyInstanceOf(StoreException.class)
			.hasMessageContaining(queue.name);
		this.proxy.acceptConnections();
		assertThat(TestQueue.get(sendFor(Duration.ofSeconds(20), queue, sender, 1)).status()).isEqualTo(LaneStatus.OK);
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatMayHaveArrivedBeforeTheConnectionsWentHasAnUnknownOutcome() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<SendReply> sent = sendFor(Duration.ofSeconds(1), queue, sender, 1);
		await().until(() -> count(queue, "EXISTS", "ready") == 1);
		this.proxy.refuseConnections();
		this.proxy.dropConnections();
		assertThat(failure(sent)).isInstanceOf(OutcomeUnknownException.class);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theClientRepeatsNothingByItself() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		sender.send(queue.messages(1));
		long before = scriptsOfQueuesRun();
		this.proxy.hold(Direction.TO_CLIENT);
		assertThat(failure(sendFor(Duration.ZERO, queue, sender, 2))).isInstanceOf(OutcomeUnknownException.class);
		this.proxy.release(Direction.TO_CLIENT);
		await().during(TIMEOUT.multipliedBy(4)).until(() -> scriptsOfQueuesRun() == before + 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMasterThatBecomesAReplicaIsWaitedFor() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		long before = refused();
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		CompletableFuture<SendReply> sent;
		try {
			sent = sender.sendAsync(queue.messages(1));
			await().until(() -> refused() >= before + 2);
			assertThat(sent).isNotDone();
		}
		finally {
			this.server.command("REPLICAOF", "NO", "ONE");
		}
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBusyRedisIsWaitedFor() {
		TestQueue queue = queue(Duration.ofSeconds(20));
		TestQueue.Sender sender = queue.sender();
		long before = errors("BUSY");
		CompletableFuture<Throwable> busy = CompletableFuture
			.supplyAsync(() -> catchThrowable(() -> this.server.command("EVAL", "while true do end", "0")));
		await().until(() -> catchThrowable(() -> this.server.command("GET", "x")) != null);
		CompletableFuture<SendReply> sent = sender.sendAsync(queue.messages(1));
		await().pollDelay(TIMEOUT).until(() -> !sent.isDone());
		this.server.command("SCRIPT", "KILL");
		assertThat(busy.join()).hasMessageContaining("killed");
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		assertThat(errors("BUSY")).isGreaterThan(before);
		assertThat(count(queue, "LLEN", "ready")).isEqualTo(1);
	}

	/**
	 * How often a replica refused to write. Redis before 7.0 counts what a script was
	 * answered among all other errors.
	 */
	private long refused() {
		return errors("READONLY") + errors("ERR");
	}

	private TestQueue queue(Duration resendFor) {
		return new TestQueue(TestScripts.create(this.client, "redelay", resendFor, timer, ReplayMemory.NONE));
	}

	/**
	 * Sends a message, again and again for as long.
	 */
	private CompletableFuture<SendReply> sendFor(Duration resendFor, TestQueue queue, TestQueue.Sender sender,
			long seq) {
		return queue(resendFor).store.sends()
			.send()
			.run(queue.name, new SendRequest(sender.lane, seq, false, queue.messages(1), null, false, false));
	}

	private static Throwable failure(CompletableFuture<?> future) {
		Throwable thrown = catchThrowable(() -> future.join());
		return (thrown instanceof CompletionException) ? thrown.getCause() : thrown;
	}

	private long count(TestQueue queue, String command, String key) {
		return (Long) this.server.command(command, queue.key(key));
	}

	private long scriptsRun() {
		return statistic("commandstats", "cmdstat_evalsha:calls=(\\d+)");
	}

	/**
	 * All but those that only ask whether Redis is there.
	 */
	private long scriptsOfQueuesRun() {
		return statistic("commandstats", "cmdstat_time:calls=(\\d+)");
	}

	private long errors(String name) {
		return statistic("errorstats", "errorstat_" + name + ":count=(\\d+)");
	}

	private long statistic(String section, String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(String.valueOf(this.server.command("INFO", section)));
		return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
	}

}
