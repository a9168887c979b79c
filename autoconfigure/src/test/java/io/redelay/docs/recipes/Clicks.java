package io.redelay.docs.recipes;

import java.util.List;

import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchResult;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

@Component
class Clicks {

	private final JdbcTemplate jdbc;

	Clicks(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@QueueListener(queues = "clicks", batchSize = "500", batchTimeout = "100ms", concurrency = "2")
	BatchResult store(List<Click> clicks) {
		BatchResult result = BatchResult.create();
		clicks.stream()
			.filter((click) -> click.page().isBlank())
			.forEach((click) -> result.rejected(click, "It has no page"));
		this.jdbc.batchUpdate("INSERT INTO click (page) VALUES (?)",
				clicks.stream()
					.filter((click) -> !click.page().isBlank())
					.map((click) -> new Object[] { click.page() })
					.toList());
		return result;
	}

	record Click(String id, String page) {
	}

}
