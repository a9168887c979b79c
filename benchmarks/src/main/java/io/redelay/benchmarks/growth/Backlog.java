package io.redelay.benchmarks.growth;

import com.fasterxml.jackson.annotation.JsonValue;

/**
 * What there are many of.
 */
enum Backlog {

	/**
	 * Messages that are ready.
	 */
	WAITING("waiting"),

	/**
	 * Messages that are due in an hour or up to a day after that, beside 10,000 that are
	 * ready.
	 */
	SCHEDULED("scheduled");

	private final String title;

	Backlog(String title) {
		this.title = title;
	}

	@JsonValue
	String title() {
		return this.title;
	}

}
