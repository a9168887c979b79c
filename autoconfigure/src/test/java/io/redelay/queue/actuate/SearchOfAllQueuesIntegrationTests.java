package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SearchOfAllQueues}.
 */
class SearchOfAllQueuesIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static RedisServer server;

	private static RedissonClient client;

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	private final String word = "word-" + this.queue;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
		application = ListenerApplication.on(client).start();
	}

	@AfterAll
	static void stop() {
		application.close();
		client.shutdown();
		server.close();
	}

	@Test
	void aMessageIsFoundOnceByWhatComesFirst() {
		send(message().id(this.word).tag(this.word).orderingKey(this.word));
		send(message().tag(this.word).fairnessKey(this.word));
		send(message().orderingKey(this.word));
		for (int limit : List.of(1, 50)) {
			List<QueuedMessage> found = all(Map.of("q", this.word, "limit", Integer.toString(limit)));
			assertThat(found).as("%s a step", limit).hasSize(3).extracting(QueuedMessage::uid).doesNotHaveDuplicates();
			assertThat(found.get(0).id()).isEqualTo(this.word);
		}
		assertThat(all(Map.of("q", this.word, "by", "key"))).as("the only way").hasSize(3);
	}

	@Test
	void aDeadMessageWhoseIdANewerOneHasIsFoundByItsCause() {
		send(message().id(this.word));
		admin().messages().bury(this.queue, this.word, "It has a " + this.word + ".");
		send(message().id(this.word));
		assertThat(all(Map.of("q", this.word))).extracting(QueuedMessage::state)
			.containsExactly(MessageState.SCHEDULED, MessageState.DEAD);
	}

	@Test
	void idsAndTagsAreFoundAlsoInQueuesThatLookedEmptyAndAreNew() {
		send(message().id("gone"));
		admin().messages().cancel(this.queue, "gone");
		QueueSnapshots.Look look = application.bean(QueueSnapshots.class).latest();
		String later = TestRedis.queue();
		send(message().id(this.word));
		send(message().tag(this.word));
		send(message().orderingKey(this.word));
		send(OutboundMessage.to(later, "x").delay(HOUR).orderingKey(this.word));
		Map<String, String> parameters = Map.of("q", this.word);
		SearchOfAllQueues search = new SearchOfAllQueues(reads(), List.of(this.queue, later),
				Map.of(this.queue, look.queues().get(this.queue)), new RequestParameters(parameters));
		assertThat(search.isByTheLastLook()).isTrue();
		assertThat(search.step(() -> 0).messages()).extracting(QueuedMessage::queue)
			.containsExactly(this.queue, this.queue, later);
		assertThat(new SearchOfAllQueues(reads(), List.of(), Map.of(),
				new RequestParameters(Map.of("q", this.word, "by", "id")))
			.isByTheLastLook()).isFalse();
	}

	@Test
	void eachCopyOfATopicIsFound() {
		List<String> groups = List.of("billing", "shipping");
		groups.forEach((group) -> application.bean(QueueScripts.class)
			.topics()
			.subscribe()
			.run(this.queue, group, Duration.ZERO, DeclaredFilter.NONE)
			.join());
		application.queues().publish(message().id(this.word).tag(this.word).orderingKey(this.word));
		List<String> queues = groups.stream().map((group) -> this.queue + "@" + group).toList();
		for (String by : List.of("any", "id", "tag", "key")) {
			for (int limit : List.of(1, 50)) {
				List<QueuedMessage> found = all(queues,
						Map.of("q", this.word, "by", by, "limit", Integer.toString(limit)));
				assertThat(found).as("by %s, %s a step", by, limit)
					.extracting(QueuedMessage::queue)
					.containsExactlyElementsOf(queues);
				assertThat(found).extracting(QueuedMessage::uid).containsOnly(found.get(0).uid());
			}
		}
	}

	@Test
	void aQueueThatCannotBeReadDoesNotKeepTheOthersFromBeingSearched() {
		String failing = this.queue + "-failing";
		send(OutboundMessage.to(failing, "x").delay(HOUR).tag(this.word));
		send(message().tag(this.word));
		server.command("DEL", "redelay:{" + failing + "}:tags");
		server.command("SET", "redelay:{" + failing + "}:tags", "foreign");
		MessageList found = reads().everywhere(new QueueSnapshots.Look(Instant.now(), Map.of()),
				new RequestParameters(Map.of("q", this.word, "by", "tag")));
		assertThat(found.messages()).extracting(MessageView::queue).containsExactly(this.queue);
		assertThat(found.failed()).containsExactly(failing);
		server.command("DEL", "redelay:{" + failing + "}:tags");
		assertThat(reads()
			.everywhere(new QueueSnapshots.Look(Instant.now(), Map.of()),
					new RequestParameters(Map.of("q", this.word, "by", "tag")))
			.failed()).isNull();
	}

	@Test
	void aStepReadsSomeMegabytesOfAllQueuesTogether() {
		String payload = "x".repeat(900 * 1024);
		List<String> queues = IntStream.range(0, 8).mapToObj((i) -> this.queue + "-" + i).toList();
		queues.forEach((each) -> application.queues().send(each, payload, HOUR));
		for (String by : List.of("key", "cause")) {
			SearchOfAllQueues search = new SearchOfAllQueues(reads(), queues, Map.of(),
					new RequestParameters(Map.of("q", this.word, "by", by)));
			SearchPage step = search.step(() -> 0);
			assertThat(step.messages()).isEmpty();
			assertThat(step.examined()).as("five have more than 4 MB").isEqualTo(5);
			assertThat(step.cursor()).contains(queues.get(5));
		}
	}

	@Test
	void aStepEndsInTimeAlsoWithinAQueue() {
		int many = 450;
		application.queues().sendAll(IntStream.range(0, many).mapToObj((i) -> message()).toList());
		SearchOfAllQueues search = new SearchOfAllQueues(reads(), List.of(this.queue), Map.of(),
				new RequestParameters(Map.of("q", this.word, "by", "key")));
		long[] now = { 0 };
		SearchPage step = search.step(() -> now[0] += Duration.ofSeconds(1).toNanos());
		assertThat(step.examined()).isPositive().isLessThan(many);
		assertThat(step.cursor()).isNotNull();
	}

	private OutboundMessage message() {
		return OutboundMessage.to(this.queue, "x").delay(HOUR);
	}

	private static void send(OutboundMessage message) {
		application.queues().send(message);
	}

	private List<QueuedMessage> all(Map<String, String> parameters) {
		return all(List.of(this.queue), parameters);
	}

	private static List<QueuedMessage> all(List<String> queues, Map<String, String> parameters) {
		List<QueuedMessage> found = new ArrayList<>();
		Map<String, String> next = new HashMap<>(parameters);
		String cursor;
		do {
			SearchPage step = new SearchOfAllQueues(reads(), queues, Map.of(), new RequestParameters(next))
				.step(() -> 0);
			found.addAll(step.messages());
			cursor = step.cursor();
			next.put("cursor", cursor);
		}
		while (cursor != null);
		return found;
	}

	private static QueueAdmin admin() {
		return application.bean(QueueAdmin.class);
	}

	private static MessageReads reads() {
		return new MessageReads(admin(), new EndpointRights(Access.NONE, List.of(), Show.NEVER, List.of()),
				new MessageMasking((payload, contentType) -> ""));
	}

}
