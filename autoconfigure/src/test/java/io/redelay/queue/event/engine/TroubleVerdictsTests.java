package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleEvent.Type;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link TroubleVerdicts}, which hold for 30 seconds here.
 */
class TroubleVerdictsTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final TroubleVerdicts verdicts = new TroubleVerdicts(Duration.ofSeconds(30));

	private final List<TroubleEvent> events = new ArrayList<>();

	@Test
	void troubleBeginsWhenItHasHeldAndEndsWhenItWasGoneForAsLong() {
		IntStream.of(0, 10, 20, 29).forEach((second) -> see(second, Kind.LOCKED));
		assertThat(this.events).isEmpty();
		see(31, Kind.LOCKED);
		assertThat(this.events).containsExactly(event(Type.BEGAN, Kind.LOCKED, 0, 31));
		IntStream.of(40, 50, 200).forEach((second) -> see(second, Kind.LOCKED));
		IntStream.of(210, 220, 239).forEach(this::seeWell);
		assertThat(this.events).hasSize(1);
		seeWell(240);
		assertThat(this.events).hasSize(2).last().isEqualTo(event(Type.ENDED, Kind.LOCKED, 0, 240));
		IntStream.of(250, 300, 400).forEach(this::seeWell);
		assertThat(this.events).hasSize(2);
	}

	@Test
	void troubleThatComesAndGoesNeitherBeginsNorEnds() {
		for (int second = 0; second < 600; second += 20) {
			see(second, Kind.LOCKED);
			seeWell(second + 10);
		}
		assertThat(this.events).isEmpty();
		IntStream.of(600, 615, 630).forEach((second) -> see(second, Kind.LOCKED));
		assertThat(this.events).containsExactly(event(Type.BEGAN, Kind.LOCKED, 600, 630));
		for (int second = 640; second < 1240; second += 20) {
			see(second, Kind.LOCKED);
			seeWell(second + 10);
		}
		assertThat(this.events).hasSize(1);
	}

	@Test
	void anotherKindHasToHoldAsWell() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.LOCKED));
		for (int second = 40; second < 640; second += 20) {
			see(second, Kind.FAILING);
			see(second + 10, Kind.SLOW_HANDLER);
		}
		assertThat(this.events).hasSize(1);
		IntStream.of(640, 655, 670).forEach((second) -> see(second, Kind.FAILING));
		assertThat(this.events).hasSize(2).last().isEqualTo(event(Type.CHANGED, Kind.FAILING, 0, 670));
	}

	@Test
	void troubleOfChangingKindsIsTroubleAllTheSame() {
		see(0, Kind.LOCKED);
		see(10, Kind.FAILING);
		see(20, Kind.LOCKED);
		see(30, Kind.SLOW_HANDLER);
		assertThat(this.events).containsExactly(event(Type.BEGAN, Kind.SLOW_HANDLER, 0, 30));
	}

	@Test
	void troubleThatBecomesMoreUrgentIsAChange() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.NO_CONSUMER, Severity.WARNING));
		IntStream.of(40, 70).forEach((second) -> see(second, Kind.NO_CONSUMER, Severity.CRITICAL));
		assertThat(this.events).extracting(TroubleEvent::type, TroubleEvent::severity)
			.containsExactly(tuple(Type.BEGAN, Severity.WARNING), tuple(Type.CHANGED, Severity.CRITICAL));
	}

	@Test
	void troubleThatBecomesMoreUrgentIsAChangeWhateverItsKind() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.DEAD_LETTERS, Severity.WARNING));
		see(40, Kind.LOCKED);
		see(50, Kind.FAILING);
		see(60, Kind.LOCKED);
		assertThat(this.events).hasSize(1);
		see(70, Kind.SLOW_HANDLER);
		assertThat(this.events).hasSize(2).last().isEqualTo(event(Type.CHANGED, Kind.SLOW_HANDLER, 0, 70));
	}

	@Test
	void troubleThatIsMoreUrgentAtTimesDoesNotChange() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.DEAD_LETTERS, Severity.WARNING));
		for (int second = 40; second < 640; second += 20) {
			see(second, Kind.LOCKED);
			see(second + 10, Kind.FAILING, Severity.WARNING);
		}
		see(640, Kind.FAILING, Severity.WARNING);
		see(669, Kind.LOCKED);
		see(698, Kind.SLOW_HANDLER);
		assertThat(this.events).hasSize(1);
		see(699, Kind.LOCKED);
		assertThat(this.events).hasSize(2);
	}

	@Test
	void theFirstFindingThatIsMoreThanGoodToKnowCounts() {
		IntStream.of(0, 30)
			.forEach((second) -> see(second,
					TroubleLooks.queue("q", at(second), TroubleLooks.finding(Kind.KEEPING_UP, Severity.INFO),
							TroubleLooks.finding(Kind.DEAD_LETTERS, Severity.WARNING))));
		assertThat(this.events).singleElement().satisfies((event) -> {
			assertThat(event.kind()).isEqualTo(Kind.DEAD_LETTERS);
			assertThat(event.summary()).isEqualTo("Dead_letters.");
			assertThat(event.mend()).isEqualTo("dead_letters mend");
		});
	}

	@Test
	void theTroubleOfADeletedQueueEnds() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.LOCKED));
		see(40);
		see(70);
		assertThat(this.events).hasSize(2).last().satisfies((event) -> {
			assertThat(event.type()).isEqualTo(Type.ENDED);
			assertThat(event.summary()).isEqualTo("The queue does not exist any more.");
		});
		assertThat(this.verdicts.write()).isEmpty();
	}

	@Test
	void nothingIsDecidedWhileAnEventIsNotReported() {
		look(0, troubled(0, Kind.LOCKED, Severity.CRITICAL));
		look(30, troubled(30, Kind.LOCKED, Severity.CRITICAL));
		Map<String, KnownTrouble> begun = this.verdicts.unreported();
		assertThat(begun).containsOnlyKeys("q");
		look(40, TroubleLooks.well("q", at(40)));
		look(100, TroubleLooks.well("q", at(100)));
		assertThat(this.verdicts.unreported()).isEqualTo(begun);
		report(100);
		assertThat(this.verdicts.unreported()).isEmpty();
		seeWell(110);
		assertThat(this.events).extracting(TroubleEvent::type).containsExactly(Type.BEGAN, Type.ENDED);
	}

	@Test
	void anotherInstanceGoesOnFromWhatIsWritten() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.LOCKED));
		look(40, TroubleLooks.well("q", at(40)));
		look(75, TroubleLooks.well("q", at(75)));
		TroubleVerdicts next = new TroubleVerdicts(Duration.ofSeconds(30));
		next.restore(this.verdicts.write());
		assertThat(next.unreported()).isEqualTo(this.verdicts.unreported()).hasSize(1);
		report(75);
		next.restore(this.verdicts.write());
		assertThat(next.write()).isEmpty();
	}

	@Test
	void anEventThatAnotherInstanceRepeatsHasTheSameTimes() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.LOCKED));
		Instant gone = at(40).plusNanos(123_456);
		this.verdicts.look(TroubleLooks.look(gone), nanos(40));
		this.verdicts.look(TroubleLooks.look(gone.plusSeconds(30)), nanos(70));
		TroubleVerdicts next = new TroubleVerdicts(Duration.ofSeconds(30));
		next.restore(this.verdicts.write());
		assertThat(next.unreported()).isEqualTo(this.verdicts.unreported()).hasSize(1);
	}

	@Test
	void whatALaterVersionWritesIsUnderstoodAsFarAsPossible() {
		this.verdicts.restore(Map.of("q", "BEGAN NEW_KIND CRITICAL 1000 2000 reported more", "other", "new form"));
		assertThat(this.verdicts.write()).containsOnly(Map.entry("q", "BEGAN UNEXPLAINED CRITICAL 1000 2000 reported"));
	}

	@Test
	void aVerdictHoldsAnewAfterATimeWithoutLooks() {
		see(0, Kind.LOCKED);
		this.verdicts.interrupt();
		IntStream.of(30, 59).forEach((second) -> see(second, Kind.LOCKED));
		assertThat(this.events).isEmpty();
		see(60, Kind.LOCKED);
		assertThat(this.events).containsExactly(event(Type.BEGAN, Kind.LOCKED, 30, 60));
	}

	@Test
	void aQueueThatIsNotLookedAtNeitherBeginsNorEndsToBeInTrouble() {
		QueueSnapshot troubled = troubled(0, Kind.LOCKED, Severity.CRITICAL);
		IntStream.of(0, 10, 20, 30, 40).forEach((second) -> see(second, troubled));
		assertThat(this.events).isEmpty();
		IntStream.of(50, 80).forEach((second) -> see(second, Kind.LOCKED));
		assertThat(this.events).containsExactly(event(Type.BEGAN, Kind.LOCKED, 50, 80));
		QueueSnapshot well = TroubleLooks.well("q", at(90));
		IntStream.of(90, 100, 110, 120, 130).forEach((second) -> see(second, well));
		assertThat(this.events).hasSize(1);
	}

	@Test
	void theTroubleOfAQueueThatCouldNotBeLookedAtGoesOn() {
		IntStream.of(0, 30).forEach((second) -> see(second, Kind.LOCKED));
		TroubleVerdicts next = new TroubleVerdicts(Duration.ofSeconds(30));
		next.restore(this.verdicts.write());
		IntStream.of(40, 70, 100)
			.forEach((second) -> next.look(new QueueSnapshots.Look(at(second), Map.of(), Set.of("q")), nanos(second)));
		assertThat(next.write()).isEqualTo(this.verdicts.write()).hasSize(1);
		IntStream.of(110, 140)
			.forEach((second) -> next.look(new QueueSnapshots.Look(at(second), Map.of()), nanos(second)));
		assertThat(next.unreported()).containsOnlyKeys("q");
	}

	@Test
	void aBoundedNumberOfQueuesIsInTrouble() {
		IntStream.of(0, 30, 60)
			.forEach((second) -> look(second,
					IntStream.rangeClosed(0, TroubleVerdicts.MAX_TROUBLES)
						.mapToObj((i) -> TroubleLooks.queue("q" + i, at(second),
								TroubleLooks.finding(Kind.LOCKED, Severity.CRITICAL)))
						.toArray(QueueSnapshot[]::new)));
		assertThat(this.verdicts.write()).hasSize(TroubleVerdicts.MAX_TROUBLES);
	}

	private void see(int second, Kind kind) {
		see(second, kind, Severity.CRITICAL);
	}

	private void see(int second, Kind kind, Severity severity) {
		see(second, troubled(second, kind, severity));
	}

	private static QueueSnapshot troubled(int second, Kind kind, Severity severity) {
		return TroubleLooks.queue("q", at(second), TroubleLooks.finding(kind, severity));
	}

	private void seeWell(int second) {
		see(second, TroubleLooks.well("q", at(second)));
	}

	private void see(int second, QueueSnapshot... queues) {
		look(second, queues);
		report(second, queues);
	}

	private void look(int second, QueueSnapshot... queues) {
		this.verdicts.look(TroubleLooks.look(at(second), queues), nanos(second));
	}

	/**
	 * The clock overflows meanwhile, as the JVM's may.
	 */
	private static long nanos(int second) {
		return Long.MAX_VALUE - Duration.ofSeconds(45).toNanos() + Duration.ofSeconds(second).toNanos();
	}

	private void report(int second, QueueSnapshot... queues) {
		this.verdicts.unreported().forEach((queue, trouble) -> {
			this.events.add(trouble.toEvent(queue, (queues.length > 0) ? queues[0].diagnosis() : null));
			this.verdicts.reported(queue, trouble);
		});
	}

	private static TroubleEvent event(Type type, Kind kind, int since, int time) {
		String word = (type == Type.ENDED) ? "keeping_up" : kind.name().toLowerCase();
		return new TroubleEvent(type, "q", kind, Severity.CRITICAL, "Summary of " + word + ".",
				(type == Type.ENDED) ? "Nothing is to be done." : word + " mend", at(since), at(time));
	}

	private static Instant at(int second) {
		return START.plusSeconds(second);
	}

}
