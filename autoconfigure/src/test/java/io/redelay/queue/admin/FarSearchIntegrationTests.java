package io.redelay.queue.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.admin.engine.QueueAdmins;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.ScanScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RMap;
import org.redisson.client.codec.ByteArrayCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.spy;

/**
 * Tests for searches, jobs and pages of messages that are packed, or are while these go
 * on.
 */
class FarSearchIntegrationTests {

	private static final Duration FAR = Duration.ofDays(20);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final ListenerApplication application = ListenerApplication.on(redis).start();

	private final QueueAdmin admin = this.application.bean(QueueAdmin.class);

	private final AdminScripts scripts = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), this.timer,
			ReplayMemory.NONE, new RedisAvailability(this.timer));

	/**
	 * What happens before a step through messages that are not packed.
	 */
	private volatile Runnable meanwhile = () -> {
	};

	private final QueueAdminTemplate searching = QueueAdmins.of(store(), "searching");

	@AfterEach
	void close() {
		this.searching.close();
		this.application.close();
		this.timer.shutdownNow();
	}

	private AdminScripts store() {
		AdminScripts spied = spy(this.scripts);
		ScanScript real = this.scripts.scan();
		ScanScript scan = spy(real);
		doAnswer((call) -> {
			ScanScript.Request asked = call.getArgument(1);
			if (!asked.what().isPacked()) {
				Runnable action = this.meanwhile;
				this.meanwhile = () -> {
				};
				action.run();
			}
			return real.run(call.getArgument(0), asked);
		}).when(scan).run(anyString(), any());
		doReturn(scan).when(spied).scan();
		return spied;
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "RUN", "BURY", "CHANGE", "RESCHEDULE" })
	void aJobFindsWhatIsPackedWhileItRuns(BulkAction action) {
		send(0, 60, FAR);
		pack(0, 20);
		this.meanwhile = () -> pack(0, 40);
		BulkJob job = run(action);
		assertThat(List.of(job.matched(), job.done())).containsExactly(60L, 60L);
	}

	@ParameterizedTest
	@EnumSource(value = BulkAction.class, names = { "CANCEL", "DELETE", "RUN", "BURY", "CHANGE", "RESCHEDULE" })
	void aJobFindsWhatComesNearWhileItRuns(BulkAction action) {
		send(0, 1_500, FAR);
		for (int i = 0; i < 10; i++) {
			pack(0, 100);
		}
		this.meanwhile = this::bringAllNear;
		BulkJob job = run(action);
		assertThat(job.done()).isEqualTo(1_500);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 12 })
	void aSearchFindsWhatIsPackedAnewWhenAllHadComeNear(int chunks) {
		send(0, 600, FAR);
		for (int i = 0; i < 10; i++) {
			pack(0, 20);
		}
		Set<String> found = new HashSet<>();
		String cursor = null;
		int steps = 0;
		do {
			int step = ++steps;
			Runnable packs = () -> IntStream.range(0, chunks).forEach((i) -> pack(50, (chunks == 1) ? 50 : 20));
			this.meanwhile = (step == 3) ? () -> {
				bringAllNear();
				if (chunks > 1) {
					packs.run();
				}
			} : (step == 5 && chunks == 1) ? packs : this.meanwhile;
			SearchPage page = this.searching.messages().search(this.queue, MessageFilter.all(), cursor, 100);
			page.messages().forEach((each) -> found.add(each.id()));
			cursor = page.cursor();
		}
		while (cursor != null && steps < 50);
		assertThat(found).hasSize(600);
		assertThat(steps).isGreaterThan(5);
	}

	/**
	 * What is near by then was gone through before.
	 */
	@Test
	void aSearchShowsAllOfAChunkThatWasPackedMeanwhileAndComesNear() {
		send(0, 180, FAR);
		pack(0, 20);
		this.meanwhile = () -> pack(0, 100);
		Set<String> found = new HashSet<>();
		String cursor = null;
		int brought = 0;
		do {
			SearchPage page = this.searching.messages()
				.search(this.queue, MessageFilter.all().states(MessageState.SCHEDULED), cursor, 30);
			page.messages().forEach((each) -> found.add(each.id()));
			cursor = page.cursor();
			if (cursor != null && cursor.startsWith("FAR_SINCE~")) {
				brought += chunks().size();
				bringAllNear();
			}
		}
		while (cursor != null);
		assertThat(brought).isEqualTo(2);
		assertThat(found).hasSize(180);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 7, 100, 101, 150, 500 })
	void aSearchGivesNoMorePackedMessagesThanAreWanted(int limit) {
		send(0, 410, FAR);
		for (int i = 0; i < 4; i++) {
			pack(0, 100);
		}
		this.admin.messages().cancel(this.queue, "m3");
		this.admin.messages().cancel(this.queue, "m399");
		List<String> found = new ArrayList<>();
		String cursor = null;
		do {
			SearchPage page = this.admin.messages()
				.search(this.queue, MessageFilter.all().states(MessageState.SCHEDULED), cursor, limit);
			assertThat(page.messages()).hasSizeLessThanOrEqualTo(limit);
			page.messages().forEach((each) -> found.add(each.id()));
			cursor = page.cursor();
		}
		while (cursor != null);
		assertThat(found).hasSize(408).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(ints = { 10, 100, 500 })
	@UnsoundQueues("chunks are damaged")
	void pagesAndSearchesPassOverChunksThatCannotBeRead(int size) {
		send(0, 90, FAR);
		pack(0, 30);
		pack(0, 30);
		pack(0, 30);
		damage(1);
		Set<String> found = new HashSet<>();
		QueuePage page;
		int number = 0;
		do {
			page = this.admin.messages().browse(this.queue, MessageState.SCHEDULED, number++, size);
			page.messages().forEach((each) -> assertThat(found.add(each.id())).isTrue());
		}
		while (page.hasNext());
		assertThat(found).hasSize(60).contains("m0", "m89").doesNotContain("m30");
		assertThat(number).isLessThanOrEqualTo(90 / size + 1);
		assertThat(this.admin.messages().search(this.queue, MessageFilter.all(), null, 500).messages()).hasSize(60);
		damage(0);
		assertThat(this.admin.messages().browse(this.queue, MessageState.SCHEDULED, 0, 500).messages()).hasSize(30);
	}

	@Test
	@UnsoundQueues("chunks are damaged")
	void aSearchStopsAmongChunksThatCannotBeRead() {
		send(0, 60, FAR);
		for (int i = 0; i < 30; i++) {
			pack(0, 2);
			damage(i);
		}
		SearchPage page = this.admin.messages()
			.search(this.queue, MessageFilter.all().states(MessageState.SCHEDULED), null, 20);
		assertThat(page.messages()).isEmpty();
		assertThat(page.cursor()).startsWith("FAR~");
		assertThat(this.admin.messages()
			.search(this.queue, MessageFilter.all().states(MessageState.SCHEDULED), page.cursor(), 20)
			.cursor()).isNull();
	}

	private BulkJob run(BulkAction action) {
		BulkRequest request = BulkRequest.of(action, MessageFilter.all().states(MessageState.SCHEDULED));
		request = switch (action) {
			case RESCHEDULE -> request.delay(Duration.ofHours(2));
			case CHANGE -> request.change(MessageChange.none().payload("changed"));
			default -> request;
		};
		BulkJob job = this.searching.jobs().start(this.queue, request);
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.admin.jobs().find(job.id()).orElseThrow(),
					(each) -> each.state() != BulkJob.State.RUNNING);
	}

	private void send(int from, int count, Duration delay) {
		Instant due = Instant.now().plus(delay);
		this.application.queues()
			.sendAll(IntStream.range(from, from + count)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "text").id("m" + i).dueAt(due.plusSeconds(i)))
				.toList());
	}

	/**
	 * Packs some of those that are not.
	 */
	private void pack(int from, int count) {
		FarScript far = this.scripts.far();
		List<PackedMessages.Entry> found = far.look(this.queue, null, Duration.ofHours(1)).join().messages();
		this.scripts.names().registerFar(this.queue).join();
		assertThat(far.pack(this.queue, found.subList(from, from + count), Duration.ofMillis(1)).join())
			.isEqualTo(count);
	}

	private List<FarScript.Chunk> chunks() {
		return this.scripts.far().chunks(this.queue, true, 100, null, null).join().chunks();
	}

	private void bringAllNear() {
		chunks().forEach((chunk) -> this.scripts.far().thaw(this.queue, chunk).join());
	}

	private void damage(int chunk) {
		RMap<byte[], byte[]> chunks = redis.client()
			.getMap("redelay:{" + this.queue + "}:far:chunks", ByteArrayCodec.INSTANCE);
		chunks.put(chunks().get(chunk).number().getBytes(StandardCharsets.UTF_8), new byte[] { 9 });
	}

}
