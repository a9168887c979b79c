package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of messages that are handed over from elsewhere, and remembered for that.
 */
class HandedOverIntegrationTests {

	private static final Duration WINDOW = Duration.ofMinutes(5);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static QueueScripts store;

	private final TestQueue queue = new TestQueue(store);

	@BeforeAll
	static void createStore() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	void aMessageThatIsHandedOverAgainIsAddedOnce() {
		NewMessage message = this.queue.message("m");
		send(null, message);
		send(null, message);
		TestQueue.Consumer consumer = this.queue.consumer();
		ClaimReply claimed = consumer.claim(10);
		assertThat(claimed.messages()).extracting(ClaimReply.Message::uid).containsExactly(message.uid());
		send(null, message);
		consumer.claim(10, Settlement.ack(message.uid(), 1));
		send(null, message);
		assertThat(consumer.claim(10).messages()).isEmpty();
	}

	/**
	 * After Redis went back, the outbox may have two notes of a message, which one relay
	 * hands over together.
	 */
	@ParameterizedTest
	@MethodSource("keys")
	void aMessageThatIsTwiceInARequestIsAddedOnce(@Nullable MessageKeys keys) {
		NewMessage first = message("first", keys);
		NewMessage twice = message("twice", keys);
		NewMessage last = message("last", keys);
		send(null, first);
		send(null, twice, twice);
		send(null, last, last);
		TestQueue.Consumer consumer = this.queue.consumer();
		List<String> handled = new ArrayList<>();
		ClaimReply claimed = consumer.claim(1);
		while (!claimed.messages().isEmpty() && handled.size() < 6) {
			ClaimReply.Message message = claimed.messages().get(0);
			handled.add(TestQueue.payload(message));
			claimed = consumer.claim(1, Settlement.ack(message.uid(), message.claim()));
		}
		assertThat(handled).containsExactly("first", "twice", "last");
	}

	@ParameterizedTest
	@MethodSource("limits")
	void aMessageThatIsTwiceInARequestCountsOnce(LengthLimit limit, @Nullable MessageKeys keys) {
		NewMessage first = message("first", keys);
		NewMessage second = message("second", keys);
		assertThat(send(limit, first, first, second, second).status()).isEqualTo(LaneStatus.OK);
		assertThat(send(limit, first, second, message("third", keys)).status()).isEqualTo(LaneStatus.FULL);
	}

	private static Stream<Arguments> limits() {
		return Stream.of(Arguments.of(new LengthLimit(2, false, null), null),
				Arguments.of(new LengthLimit(2, false, null), TestQueue.ordered("k")),
				Arguments.of(new LengthLimit(LengthLimit.ANY, false, 2), TestQueue.ordered("k")));
	}

	private static Stream<MessageKeys> keys() {
		return Stream.of(null, TestQueue.ordered("k"), TestQueue.fair("k", 1), TestQueue.urgent(9));
	}

	private NewMessage message(String text, @Nullable MessageKeys keys) {
		return (keys != null) ? this.queue.message(text, keys) : this.queue.message(text);
	}

	@Test
	void anotherMessageOfTheSameRequestIsAdded() {
		NewMessage first = this.queue.message("first");
		NewMessage second = this.queue.message("second");
		send(null, first);
		SendReply reply = send(null, first, second);
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		assertThat(this.queue.consumer().claim(10).messages()).extracting(TestQueue::payload)
			.containsExactly("first", "second");
	}

	@Test
	void whatIsNotRememberedIsAddedAgain() {
		NewMessage message = this.queue.message("m");
		TestQueue.Consumer consumer = this.queue.consumer();
		send(null, message);
		consumer.claim(1);
		consumer.claim(0, Settlement.ack(message.uid(), 1));
		redis.client().getKeys().delete(this.queue.key("handed"));
		send(null, message);
		assertThat(consumer.claim(1).messages()).hasSize(1);
	}

	@Test
	void aFullQueueRemembersNothingAndCountsWhatIsThere() {
		LengthLimit one = new LengthLimit(1, false, null);
		NewMessage message = this.queue.message("m");
		NewMessage other = this.queue.message("other");
		send(one, message);
		assertThat(send(one, message).status()).isEqualTo(LaneStatus.OK);
		assertThat(send(one, other).status()).isEqualTo(LaneStatus.FULL);
		TestQueue.Consumer consumer = this.queue.consumer();
		consumer.claim(1);
		consumer.claim(0, Settlement.ack(message.uid(), 1));
		assertThat(send(one, other).status()).isEqualTo(LaneStatus.OK);
		assertThat(consumer.claim(1).messages()).extracting(TestQueue::payload).containsExactly("other");
	}

	@Test
	void aPayloadGathersOnce() {
		NewMessage first = gathering("[1]");
		NewMessage second = gathering("[2]");
		send(null, first);
		send(null, second);
		send(null, second, first);
		String body = redis.client()
			.<String, String>getMap(this.queue.key("messages"), StringCodec.INSTANCE)
			.get(first.uid());
		assertThat(body).endsWith("\"payload\":[1,2]}");
	}

	@Test
	void theUidsAreForgottenWhenTheirTimeIsOver() {
		NewMessage[] messages = IntStream.range(0, 300)
			.mapToObj((i) -> this.queue.message("m" + i))
			.toArray(NewMessage[]::new);
		through(new TestSender(store, this.queue.name, 1000, null, Duration.ofMillis(1)), messages);
		Awaitility.await().untilAsserted(() -> {
			send(null, this.queue.message("another"));
			assertThat(redis.client()
				.getScoredSortedSet(this.queue.key("handed"), StringCodec.INSTANCE)
				.contains(messages[299].uid())).isFalse();
		});
		assertThat(redis.client().getKeys().remainTimeToLive(this.queue.key("handed"))).isPositive();
	}

	private NewMessage gathering(String list) {
		byte[] envelope = ("{\"v\":1,\"aggregate\":true,\"payload\":" + list + "}").getBytes(StandardCharsets.UTF_8);
		return new NewMessage(this.queue.message("").uid(), null, Duration.ofMinutes(1), null, envelope, null,
				Deduplication.aggregate("key", Duration.ofMinutes(1), 10));
	}

	/**
	 * Each time on another lane, as another instance would.
	 */
	private SendReply send(LengthLimit limit, NewMessage... messages) {
		return through(new TestSender(store, this.queue.name, 1000, limit, WINDOW), messages);
	}

	private static SendReply through(TestSender batcher, NewMessage... messages) {
		return TestQueue.get(batcher.send(List.of(messages)));
	}

}
