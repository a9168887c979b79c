package io.redelay.outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxApplication;
import io.redelay.outbox.TestServers;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.engine.ColdSweeper;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ColdChunks.Kept;
import io.redelay.queue.script.admin.ColdChunks.Key;
import io.redelay.queue.script.admin.ColdChunks.Saved;
import io.redelay.queue.script.admin.ColdScript;
import io.redelay.queue.script.admin.ColdTier;
import io.redelay.queue.script.admin.FarScript;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the table of cold messages does, whichever database it is in.
 */
abstract class ColdChunkContract {

	private static final Duration DAY = Duration.ofDays(1);

	private final String queue = TestServers.queue();

	private DataSource database;

	private ColdChunkTable table;

	abstract TestServers servers();

	@BeforeEach
	void createTable() {
		this.database = new DriverManagerDataSource(servers().newDatabase());
		this.table = new ColdChunkTable(this.database, true, true);
	}

	@AfterEach
	void close() {
		this.table.close();
	}

	@Test
	void bytesAreReadAsTheyWereWritten() {
		Saved small = saved("redis", 1, 0);
		Saved large = saved("redis", 2, 400_000);
		this.table.save(List.of(small, large)).join();
		assertThat(this.table.load(List.of(small.key(), large.key(), key(3))).join())
			.containsOnlyKeys(small.key(), large.key())
			.containsEntry(small.key(), small.bytes())
			.containsEntry(large.key(), large.bytes());
		Key other = new Key(this.queue, "1", "f".repeat(40));
		Key elsewhere = new Key(this.queue + "~1", "1", small.key().sha1());
		assertThat(this.table.load(List.of(other, elsewhere)).join()).isEmpty();
		assertThat(List.of(this.table.written(), this.table.loaded())).containsExactly(2L, 2L);
		assertThat(row("due_at")).isEqualTo(1001);
		assertThat(row("latest_at")).isEqualTo(2001);
		assertThat(row("message_count")).isEqualTo(3);
	}

	@Test
	void whatIsWrittenTwiceIsThereOnce() {
		List<Saved> chunks = IntStream.range(0, 50).mapToObj((i) -> saved("redis", i, 1000)).toList();
		CompletableFuture
			.allOf(IntStream.range(0, 4)
				.mapToObj((i) -> savedAtLast(new ColdChunkTable(this.database, false, false), chunks))
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(this.table.list(Set.of("redis"), 0, 100).join()).hasSize(50);
	}

	/**
	 * A database may refuse one of two that write the same row; the next sweep writes it
	 * again.
	 */
	private static CompletableFuture<Void> savedAtLast(ColdChunkTable table, List<Saved> chunks) {
		return table.save(chunks)
			.exceptionallyCompose((failure) -> savedAtLast(table, chunks))
			.whenComplete((done, failure) -> table.close());
	}

	@Test
	void rowsAreListedInPagesOfAnOwner() {
		this.table.save(IntStream.range(0, 25).mapToObj((i) -> saved((i < 20) ? "redis" : "other", i, 10)).toList())
			.join();
		List<String> listed = new ArrayList<>();
		long after = 0;
		List<Kept> page;
		do {
			page = this.table.list(List.of("redis", "unused"), after, 7).join();
			page.forEach((each) -> listed.add(each.key().chunk()));
			after = page.isEmpty() ? after : page.get(page.size() - 1).row();
		}
		while (page.size() == 7);
		assertThat(listed).containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(Integer::toString).toList());
		assertThat(this.table.list(Set.of("other"), 0, 7).join()).hasSize(5);
	}

	@Test
	void whatIsNotNeededLeavesAfterSomeTime() {
		this.table.save(IntStream.range(0, 4).mapToObj((i) -> saved("redis", i, 10)).toList()).join();
		List<Kept> rows = list();
		assertThat(this.table.note(List.of(), rows, Duration.ZERO).join()).as("first it is noted").isZero();
		assertThat(list()).allMatch(Kept::leaving);
		assertThat(this.table.note(List.of(), rows, DAY).join()).isZero();
		this.table.save(List.of(saved("redis", 0, 10))).join();
		assertThat(this.table.note(rows.subList(1, 2), rows.subList(0, 1), Duration.ZERO).join())
			.as("saved again meanwhile")
			.isZero();
		assertThat(list()).extracting(Kept::leaving).containsExactly(true, false, true, true);
		assertThat(this.table.note(List.of(), rows.subList(1, 4), Duration.ZERO).join()).isEqualTo(2);
		assertThat(list()).extracting((each) -> each.key().chunk()).containsExactly("0", "1");
		assertThat(this.table.deleted()).isEqualTo(2);
	}

	@Test
	void aDatabaseThatIsAwayFailsTheRequest() {
		ColdChunkTable away = new ColdChunkTable(new DelegatingDataSource(this.database) {

			private int left = 2; // to find out which one it is, and one request

			@Override
			public Connection getConnection() throws SQLException {
				if (this.left-- <= 0) {
					throw new SQLException("away");
				}
				return super.getConnection();
			}

		}, false, false);
		away.load(List.of(key(1))).join();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> away.load(List.of(key(1))).join());
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> away.save(List.of(saved("redis", 1, 1))).join());
		away.close();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> away.load(List.of(key(1))).join());
	}

	@Test
	void messagesMoveThereAndBackAndAreDelivered() {
		try (OutboxApplication application = OutboxApplication.on(servers(), servers().newDatabase())
			.listeningTo(this.queue)
			.with("redelay.queue.cold-horizon", "1h")
			.with("redelay.queue.far-horizon", "1h")
			.start()) {
			AdminScripts store = application.bean(AdminScripts.class);
			FarScript far = store.far();
			application.bean(QueueOperations.class)
				.sendAll(IntStream.range(0, 300)
					.mapToObj((i) -> OutboundMessage.to(this.queue, "payload" + i).delay(Duration.ofDays(3)))
					.toList());
			List<PackedMessages.Entry> found = far.look(this.queue, null, DAY).join().messages();
			store.names().registerFar(this.queue).join();
			assertThat(far.pack(this.queue, found.subList(0, 50), Duration.ZERO).join()).isEqualTo(50);
			assertThat(far.pack(this.queue, found.subList(50, 100), Duration.ZERO).join()).isEqualTo(50);
			List<FarScript.Chunk> hot = chunks(far);
			move(store, DAY, 2);
			assertThat(chunks(far)).usingRecursiveComparison().isEqualTo(hot);
			assertThat(application.bean(QueueAdmin.class).queues().check(this.queue).problems()).isEmpty();
			JdbcClient jdbc = application.jdbc();
			String first = hot.get(0).number();
			jdbc.sql("UPDATE redelay_cold_chunk SET sha1 = 'x' WHERE chunk = :chunk").param("chunk", first).update();
			assertThat(application.bean(QueueAdmin.class).queues().check(this.queue).problems()).hasSize(1);
			jdbc.sql("UPDATE redelay_cold_chunk SET sha1 = :sha1 WHERE chunk = :chunk")
				.param("chunk", first)
				.param("sha1", ColdTier.key(this.queue, hot.get(0)).sha1())
				.update();
			move(store, Duration.ofDays(10), 0);
			jdbc.sql("DELETE FROM redelay_cold_chunk").update();
			assertThat(chunks(far)).usingRecursiveComparison().isEqualTo(hot);
			move(store, DAY, 2);
			chunks(far)
				.forEach((chunk) -> assertThat(far.thaw(this.queue, chunk).join()).isEqualTo(FarScript.Thawed.NEAR));
			application.queues().messages().runNow(this.queue, found.get(7).uid());
			Awaitility.await().untilAsserted(() -> assertThat(application.received()).containsExactly("payload7"));
			application.queues().control().deleteWithMessages(this.queue);
		}
	}

	/**
	 * Lets a sweeper work until so many chunks have their bytes in the database.
	 */
	private void move(AdminScripts store, Duration horizon, int cold) {
		try (ColdSweeper sweeper = new ColdSweeper(store, new FarSettings(Duration.ofHours(1), Map.of()),
				this.queue::equals, horizon, Uids.instance(), store.replayMemory().scheduler(),
				new ColdSweeper.Times(Duration.ofMillis(50), DAY, DAY))) {
			List<String> numbers = store.far()
				.chunks(this.queue, false, 10, null, null)
				.join()
				.chunks()
				.stream()
				.map(FarScript.Chunk::number)
				.toList();
			sweeper.start();
			Awaitility.await()
				.until(() -> new ColdScript(store.runner()).named(this.queue, numbers)
					.join()
					.stream()
					.filter((each) -> !each.isEmpty())
					.count() == cold);
		}
	}

	private List<FarScript.Chunk> chunks(FarScript far) {
		return far.chunks(this.queue, true, 10, null, null).join().chunks();
	}

	private List<Kept> list() {
		return this.table.list(Set.of("redis"), 0, 100).join();
	}

	private long row(String column) {
		return JdbcClient.create(this.database)
			.sql("SELECT " + column + " FROM redelay_cold_chunk WHERE chunk = '1'")
			.query(Long.class)
			.single();
	}

	private Key key(int chunk) {
		return new Key(this.queue, Integer.toString(chunk), "0123456789".repeat(4));
	}

	private Saved saved(String owner, int chunk, int size) {
		byte[] bytes = new byte[size];
		new Random(chunk).nextBytes(bytes);
		return new Saved(owner, key(chunk), 1000 + chunk, 2000 + chunk, 3, bytes);
	}

}
