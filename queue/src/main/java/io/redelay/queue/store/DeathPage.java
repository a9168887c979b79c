package io.redelay.queue.store;

import java.util.List;

/**
 * A page of deaths, or as much of it as may be read at once.
 *
 * @param deaths the deaths, the last one first
 * @param hasNext whether there are more
 * @since 0.1.0
 */
public record DeathPage(List<StoredDeath> deaths, boolean hasNext) {

}
