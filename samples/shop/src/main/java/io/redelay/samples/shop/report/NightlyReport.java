package io.redelay.samples.shop.report;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes a report each night: one, however many instances of the shop there are.
 */
@Service
class NightlyReport {

	static final String QUEUE = "reports";

	static final String NAME = "nightly-report";

	private static final Duration DAY = Duration.ofDays(1);

	private final RecurringMessages recurring;

	private final JdbcAggregateOperations aggregates;

	private final ReportRepository reports;

	NightlyReport(RecurringMessages recurring, JdbcAggregateOperations aggregates, ReportRepository reports) {
		this.recurring = recurring;
		this.aggregates = aggregates;
		this.reports = reports;
	}

	/**
	 * If the shop was down at night, the report is written when it is back, of the time
	 * at which it was due.
	 */
	@RecurringMessage(name = NAME, cron = "${shop.reports.cron}", zone = "${shop.reports.zone}")
	@QueueListener(QUEUE)
	@Transactional
	void write(RecurringTick tick) {
		Instant until = tick.scheduledFor();
		if (this.reports.existsById(until)) {
			return; // it was written, and this instance died before it could say so
		}
		Instant from = until.minus(DAY);
		this.aggregates.insert(new Report(until, this.reports.countPlaced(from, until),
				this.reports.countPaid(from, until), this.reports.sumPaid(from, until), Instant.now()));
	}

	Optional<RecurringInfo> plan() {
		return this.recurring.find(QUEUE, NAME);
	}

	Optional<Report> last() {
		return this.reports.findFirstByOrderByWrittenAtDesc();
	}

	/**
	 * Writes one now, of the last 24 hours.
	 * @return whether it is on its way; not if the last one is still being written
	 */
	boolean writeNow() {
		return this.recurring.runNow(QUEUE, NAME);
	}

}
