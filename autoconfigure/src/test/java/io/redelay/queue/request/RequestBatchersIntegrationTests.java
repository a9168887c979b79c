package io.redelay.queue.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.TestScripts;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestBatchers}.
 */
class RequestBatchersIntegrationTests {

	private static final Duration IDLE = Duration.ofMillis(200);

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private final Set<RequestBatcher<NewMessage, SendReply>> made = ConcurrentHashMap.newKeySet();

	private TcpFaultProxy proxy;

	private RedissonClient client;

	private TestQueue queue;

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
		timer.shutdownNow();
	}

	@BeforeEach
	void connect() {
		this.proxy = TcpFaultProxy.to(server);
		this.client = TestRedis.connect(this.proxy.uri(), Duration.ofSeconds(1));
		this.queue = new TestQueue(
				TestScripts.create(this.client, "redelay", Duration.ofSeconds(60), timer, ReplayMemory.NONE));
	}

	@AfterEach
	void disconnect() {
		this.client.shutdown();
		this.proxy.close();
	}

	@Test
	void whatIsNotUsedAnyMoreIsDropped() {
		RequestBatchers<NewMessage, SendReply> batchers = batchers(IDLE);
		List<CompletableFuture<SendReply>> sent = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			sent.add(batchers.submit(TestRedis.queue(), this.queue.messages(1), true));
		}
		assertThat(batchers.size()).isPositive();
		sent.forEach((each) -> assertThat(TestQueue.get(each).status()).isEqualTo(LaneStatus.OK));
		await().until(() -> batchers.size() == 0);
		send(batchers, "m");
		assertThat(batchers.size()).isOne();
		await().until(() -> batchers.size() == 0);
	}

	@Test
	void whatHasNothingToDoIsDroppedWhenThereAreTooMany() {
		RequestBatchers<NewMessage, SendReply> batchers = batchers(Duration.ofMinutes(10)).atMost(5);
		this.proxy.hold(Direction.TO_CLIENT);
		List<CompletableFuture<SendReply>> sent = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			sent.add(batchers.submit(TestRedis.queue(), this.queue.messages(1), true));
		}
		assertThat(batchers.size()).as("all are under way").isEqualTo(10);
		this.proxy.release(Direction.TO_CLIENT);
		sent.forEach((each) -> assertThat(TestQueue.get(each).status()).isEqualTo(LaneStatus.OK));
		for (int i = 0; i < 50; i++) {
			assertThat(TestQueue.get(batchers.submit(TestRedis.queue(), this.queue.messages(1), true)).status())
				.isEqualTo(LaneStatus.OK);
		}
		assertThat(batchers.size()).isLessThanOrEqualTo(6);
	}

	@Test
	void whatIsUsedStays() {
		RequestBatchers<NewMessage, SendReply> batchers = batchers(Duration.ofMinutes(10));
		send(batchers, "a");
		send(batchers, "b");
		assertThat(this.made).hasSize(1);
	}

	@Test
	void aSendWhoseAnswerWasLostIsNotDoubledHoweverLongItTakes() {
		RequestBatchers<NewMessage, SendReply> batchers = batchers(IDLE);
		send(batchers, "first");
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<SendReply> sent = batchers.submit(this.queue.name, List.of(this.queue.message("second")),
				true);
		await().until(() -> count() == 2);
		int before = this.made.size();
		this.proxy.dropConnections();
		await().pollDelay(IDLE.multipliedBy(5)).until(() -> !sent.isDone());
		CompletableFuture<SendReply> behind = batchers.submit(this.queue.name, List.of(this.queue.message("third")),
				true);
		assertThat(this.made).as("no other lane overtakes it").hasSize(before);
		this.proxy.release(Direction.TO_CLIENT);
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		assertThat(TestQueue.get(behind).status()).isEqualTo(LaneStatus.OK);
		assertThat(count()).isEqualTo(3);
	}

	@Test
	void theOrderIsKeptThroughAllChanges() {
		RequestBatchers<NewMessage, SendReply> batchers = batchers(Duration.ofNanos(1000));
		List<CompletableFuture<SendReply>> sent = new ArrayList<>();
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 2_000; i++) {
			expected.add("m" + i);
			sent.add(batchers.submit(this.queue.name, List.of(this.queue.message("m" + i)), true));
			if (i % 200 == 0) {
				TestQueue.get(sent.get(i));
				await().until(() -> batchers.size() == 0);
			}
		}
		sent.forEach(TestQueue::get);
		assertThat(this.made).hasSizeGreaterThan(1);
		TestQueue.Consumer consumer = this.queue.consumer();
		List<String> received = new ArrayList<>();
		while (received.size() < expected.size()) {
			consumer.claim(500).messages().forEach((message) -> received.add(TestQueue.payload(message)));
		}
		assertThat(received).isEqualTo(expected);
	}

	private RequestBatchers<NewMessage, SendReply> batchers(Duration idle) {
		return new RequestBatchers<>((name) -> {
			RequestBatcher<NewMessage, SendReply> batcher = new RequestBatcher<>(
					this.queue.store.sends().protocol(name, new SendScripts.Terms(10_000, null, null)),
					ReplayMemory.NONE);
			this.made.add(batcher);
			return batcher;
		}, (name) -> {
		}, idle, Scheduler.unclosed(Runnable::run));
	}

	private void send(RequestBatchers<NewMessage, SendReply> batchers, String payload) {
		assertThat(TestQueue.get(batchers.submit(this.queue.name, List.of(this.queue.message(payload)), true)).status())
			.isEqualTo(LaneStatus.OK);
	}

	private long count() {
		return (Long) server.command("HLEN", this.queue.key("messages"));
	}

}
