package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a message without an envelope, as a foreign client may send it, is refused
 * with all others of its request.
 */
class EmptyEnvelopeIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	/**
	 * More than a script writes with one command.
	 */
	private static final int BEFORE = 600;

	private static final byte[] EMPTY = "{".getBytes(StandardCharsets.UTF_8);

	private final QueueScripts store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer,
			ReplayMemory.NONE);

	private final TestQueue queue = new TestQueue(this.store);

	@AfterAll
	static void stop() {
		timer.shutdownNow();
	}

	static Stream<NewMessage> empty() {
		MessageKeys tagged = MessageKeys.NONE.tagged(List.of("tag"));
		return Stream.of(new NewMessage("empty", null, null, null, EMPTY),
				new NewMessage("empty", "id", null, null, EMPTY),
				new NewMessage("empty", null, Duration.ofHours(1), null, EMPTY),
				new NewMessage("empty", null, null, null, EMPTY, tagged, null),
				new NewMessage("empty", null, null, null, EMPTY, TestQueue.ordered("key"), null),
				new NewMessage("empty", null, null, null, EMPTY, TestQueue.urgent(7), null), new NewMessage("empty",
						null, null, null, EMPTY, null, Deduplication.firstWins("key", Duration.ofHours(1))));
	}

	@ParameterizedTest
	@MethodSource("empty")
	void aSendIsRefused(NewMessage empty) {
		TestQueue.Sender sender = this.queue.sender();
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < BEFORE; i++) {
			messages.add(this.queue.messageWithId("id-" + i, "m" + i));
		}
		messages.add(empty);
		assertThat(sender.sendAsync(messages)).failsWithin(Duration.ofSeconds(20));
		assertThat(keys(this.queue.key("*"))).containsExactlyInAnyOrder(this.queue.key("known"),
				this.queue.key("sent:" + sender.lane));
	}

	@ParameterizedTest
	@MethodSource("empty")
	void aSendToAQueueWithALimitIsRefused(NewMessage empty) {
		TestQueue.Sender sender = this.queue.sender();
		SendRequest request = new SendRequest(sender.lane, 1, false, List.of(empty), new LengthLimit(10, true, null),
				false, false);
		assertThat(this.store.sends().send().run(this.queue.name, request)).failsWithin(Duration.ofSeconds(20));
		assertThat(keys(this.queue.key("*"))).containsExactlyInAnyOrder(this.queue.key("known"),
				this.queue.key("sent:" + sender.lane));
	}

	@ParameterizedTest
	@MethodSource("empty")
	void aPublishIsRefused(NewMessage empty) {
		String topic = "t-" + UUID.randomUUID();
		TopicScripts topics = this.store.topics();
		String lane = topics.publish().open(topic).join();
		topics.subscribe().run(topic, "g", Duration.ZERO, DeclaredFilter.NONE).join();
		CompletableFuture<PublishScript.Result> known = topics.publish()
			.run(topic, request(lane, 1, this.queue.message("first")), (group) -> null);
		assertThat(known).succeedsWithin(Duration.ofSeconds(20));
		assertThat(topics.publish().run(topic, request(lane, 2, empty), (group) -> null))
			.failsWithin(Duration.ofSeconds(20));
		assertThat(redis.client().getMap("redelay:{" + topic + "}@g:messages", StringCodec.INSTANCE).size()).isOne();
	}

	@Test
	void anEnvelopeOfOneByteIsThere() {
		this.queue.sender().send(new NewMessage("short", "id", null, null, "{}".getBytes(StandardCharsets.UTF_8)));
		assertThat(redis.client().getMap(this.queue.key("messages"), StringCodec.INSTANCE).get("short")).asString()
			.endsWith("}");
	}

	private static SendRequest request(String lane, long number, NewMessage message) {
		return new SendRequest(lane, number, false, List.of(message), null, false, false);
	}

	private static Iterable<String> keys(String pattern) {
		return redis.client().getKeys().getKeys(KeysScanOptions.defaults().pattern(pattern));
	}

}
