package io.redelay.samples.shop.export;

import java.nio.file.Path;
import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * How orders are exported.
 *
 * @param folder where the files are, a folder that all instances share
 * @param pageSize how many orders are read at a time
 * @param latency how long it takes to read them, beside what the database needs
 * @param keepFor for how long a file is kept
 */
@ConfigurationProperties("shop.exports")
record ExportProperties(Path folder, int pageSize, Duration latency, Duration keepFor) {

}
