package io.redelay.benchmarks.far;

import java.nio.file.Path;
import java.time.Duration;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link FarBenchmark}.
 *
 * @param messages how many messages are scheduled
 * @param unpacked how many of them may wait to be packed; so many are scheduled before
 * the first one is packed. 0 for all
 * @param bytes how long a payload is
 * @param text whether payloads are text like that of a reminder, not random letters
 * @param due how many are due within one minute; 0 leaves that part out
 * @param rate how many are sent a second while messages move through; 0 leaves that part
 * out
 * @param lasting how long messages move through
 * @param horizon from when on a message is packed in these two parts; 0 packs none
 * @param output the file for the lines of JSON
 */
record FarOptions(@DefaultValue("200000") int messages, @DefaultValue("0") int unpacked, @DefaultValue("200") int bytes,
		@DefaultValue("false") boolean text, @DefaultValue("0") int due, @DefaultValue("0") int rate,
		@DefaultValue("1h") Duration lasting, @DefaultValue("5m") Duration horizon,
		@DefaultValue("target/far.jsonl") Path output) {

	FarOptions {
		BenchmarkOptions.requirePositive("messages", messages);
		BenchmarkOptions.requirePositive("bytes", bytes);
		unpacked = (unpacked == 0) ? messages : Math.min(messages, unpacked);
	}

}
