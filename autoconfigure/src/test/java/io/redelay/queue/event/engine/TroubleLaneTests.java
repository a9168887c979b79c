package io.redelay.queue.event.engine;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TroubleLane}.
 */
class TroubleLaneTests {

	@Test
	void nobodyWaitsForACallThatWasDropped() {
		VirtualTime time = new VirtualTime();
		TroubleLane lane = new TroubleLane((event) -> {
		}, "name", time);
		KnownTrouble trouble = new KnownTrouble(TroubleEvent.Type.BEGAN, Kind.LOCKED, Severity.CRITICAL, Instant.EPOCH,
				Instant.EPOCH, false);
		List<TroubleReport> reports = IntStream.rangeClosed(0, TroubleVerdicts.MAX_TROUBLES)
			.mapToObj((i) -> new TroubleReport(trouble, trouble.toEvent("q" + i, null), List.of(lane), time, () -> true,
					() -> {
					}))
			.toList();
		reports.forEach((report) -> lane.accept(report.calls().get(0)));
		assertThat(reports.stream().filter((report) -> report.isOver(Set.of())))
			.containsExactly(reports.get(TroubleVerdicts.MAX_TROUBLES));
	}

}
