package io.redelay.samples.shop.report;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.recurring.RecurringInfo;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The report of each night over HTTP.
 */
@RestController
@RequestMapping("/reports/nightly")
class ReportController {

	private final NightlyReport report;

	ReportController(NightlyReport report) {
		this.report = report;
	}

	@GetMapping
	Nightly find() {
		return new Nightly(this.report.plan().map(RecurringInfo::nextRuns).orElse(List.of()),
				this.report.last().orElse(null));
	}

	@PostMapping("/run")
	ResponseEntity<Void> run() {
		return ResponseEntity.status(this.report.writeNow() ? HttpStatus.ACCEPTED : HttpStatus.CONFLICT).build();
	}

	/**
	 * When the next reports are written, and the last one.
	 */
	record Nightly(List<Instant> nextRuns, @Nullable Report last) {

	}

}
