package io.redelay.migration;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.testing.EmbeddedRedis;
import org.junit.jupiter.api.Test;
import org.quartz.CronTrigger;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A trigger of the real Quartz that ends when a recurring message begins.
 */
@SpringBootTest
@EmbeddedRedis
class QuartzRollOverIntegrationTests {

	@Autowired
	private RecurringMessages recurring;

	@Test
	void eachNightHasOneReport() {
		Instant first = Instant.parse("2027-02-26T01:00:00Z");
		CronTrigger trigger = QuartzReports.nightly();
		List<Instant> theirs = Stream
			.iterate(trigger.getFireTimeAfter(Date.from(first.minusSeconds(1))), Objects::nonNull,
					trigger::getFireTimeAfter)
			.map(Date::toInstant)
			.toList();
		List<Instant> ours = this.recurring.find("reports", "nightly-report")
			.map(RecurringInfo::nextRuns)
			.orElseThrow();
		assertThat(theirs).isNotEmpty();
		assertThat(ours).isNotEmpty();
		assertThat(Stream.concat(theirs.stream(), ours.stream()))
			.containsExactlyElementsOf(IntStream.range(0, theirs.size() + ours.size())
				.mapToObj((i) -> first.plus(Duration.ofDays(i)))
				.toList());
	}

}
