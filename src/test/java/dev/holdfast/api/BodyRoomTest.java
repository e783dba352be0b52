package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyRoomTest {
    private final BodyRoom room = new BodyRoom(64);

    @Test
    void oneMayHoldHalfOfItAndNoMore() {
        assertThat(room.share().take(33)).isFalse();
        BodyRoom.Share share = room.share();
        assertThat(share.take(20)).isTrue();
        assertThat(share.take(12)).isTrue();
        assertThat(share.take(1)).isFalse();
        assertThat(room.share().take(32)).isTrue();
    }

    @Test
    void whereMuchIsHeldASmallOneStillFindsRoom() {
        assertThat(room.share().take(32)).isTrue();
        assertThat(room.share().take(17)).isFalse();
        assertThat(room.share().take(16)).isTrue();
        assertThat(room.share().take(8)).isTrue();
        assertThat(room.share().take(4)).isTrue();
        assertThat(room.share().take(1)).isTrue();
    }

    /** However many there are and however they come, they never hold more together than there is. */
    @Test
    void togetherTheyNeverHoldMoreThanThereIs() {
        List<BodyRoom.Share> shares = new ArrayList<>();
        int held = 0;
        for (int i = 0; i < 1000; i++) {
            BodyRoom.Share share = room.share();
            if (share.take(1)) {
                held++;
                shares.add(share);
            }
        }
        assertThat(held).isBetween(32, 64);
        shares.forEach(BodyRoom.Share::release);
        shares.forEach(BodyRoom.Share::release);
        assertThat(room.share().take(32)).isTrue();
        assertThat(room.share().take(32)).isFalse();
    }

    @Test
    void whatWasRefusedTakesNothingMore() {
        BodyRoom.Share share = room.share();
        assertThat(share.take(40)).isFalse();
        assertThat(share.take(1)).isFalse();
        assertThat(room.share().take(32)).isTrue();
    }
}
