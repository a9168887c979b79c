package io.redelay.queue.admin.engine.bulk;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BulkPlan} and {@link BulkProgress}.
 */
class BulkPlanTests {

	@Test
	void whatAnEarlierVersionDidNotKeepIsAsIfItWereZero() {
		BulkPlan plan = BulkPlan.read("""
				{"queue":"q","begun":"2026-01-01T00:00:00Z","later":1,
				"request":{"action":"CANCEL","filter":{"states":["READY"],"headers":{},"fields":{}}}}""");
		assertThat(plan).isNotNull();
		assertThat(plan.total()).isZero();
		assertThat(BulkPlan.read("{}")).isNull();
		assertThat(BulkProgress.read("{\"seen\":3,\"later\":1}")).isEqualTo(new BulkProgress(null, 3, 0, 0, 0, null));
	}

}
