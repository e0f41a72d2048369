package dev.tigris.net.libfabric.raw;

import java.util.Locale;

/// Where what lies in libfabric's structures, on 64-bit Linux, and what its constants are. The
/// names are those of its headers. LayoutTest has a C compiler confirm all of it.
final class Layout {
  private Layout() {}

  /// A member of a structure: its name is that of the structure, two underscores, and its own.
  interface Member {
    String name();

    int offset();

    /// The structure, as C has it.
    default String structure() {
      return name().substring(0, name().indexOf("__")).toLowerCase(Locale.ROOT);
    }

    /// The member, as C has it.
    default String member() {
      return name().substring(name().indexOf("__") + 2).toLowerCase(Locale.ROOT);
    }
  }

  /// A pointer in an object, or in a table of functions.
  enum Slot implements Member {
    FID__OPS(16),
    FI_OPS__CLOSE(8),
    FI_OPS__BIND(16),
    FI_OPS__CONTROL(24),
    FID_FABRIC__OPS(24),
    FI_OPS_FABRIC__DOMAIN(8),
    FI_OPS_FABRIC__PASSIVE_EP(16),
    FI_OPS_FABRIC__EQ_OPEN(24),
    FI_OPS_FABRIC__TRYWAIT(40),
    FID_DOMAIN__OPS(24),
    FID_DOMAIN__MR(32),
    FI_OPS_DOMAIN__AV_OPEN(8),
    FI_OPS_DOMAIN__CQ_OPEN(16),
    FI_OPS_DOMAIN__ENDPOINT(24),
    FI_OPS_MR__REG(8),
    FID_MR__MEM_DESC(24),
    FID_MR__KEY(32),
    FID_AV__OPS(24),
    FI_OPS_AV__INSERT(8),
    FI_OPS_AV__REMOVE(32),
    FID_EQ__OPS(24),
    FI_OPS_EQ__READ(8),
    FI_OPS_EQ__READERR(16),
    FID_CQ__OPS(24),
    FI_OPS_CQ__READ(8),
    FI_OPS_CQ__READERR(24),
    FI_OPS_CQ__SREAD(32),
    FID_PEP__CM(32),
    FID_EP__CM(32),
    FID_EP__MSG(40),
    FID_EP__RMA(48),
    FI_OPS_CM__GETNAME(16),
    FI_OPS_CM__CONNECT(32),
    FI_OPS_CM__LISTEN(40),
    FI_OPS_CM__ACCEPT(48),
    FI_OPS_CM__REJECT(56),
    FI_OPS_MSG__RECV(8),
    FI_OPS_MSG__SENDV(40),
    FI_OPS_MSG__INJECT(56),
    FI_OPS_RMA__READ(8),
    FI_OPS_RMA__WRITE(32);

    final int offset;

    Slot(int offset) {
      this.offset = offset;
    }

    @Override
    public int offset() {
      return offset;
    }
  }

  /// A member of another structure.
  enum Field implements Member {
    FI_INFO__NEXT(0),
    FI_INFO__CAPS(8),
    FI_INFO__DEST_ADDRLEN(40),
    FI_INFO__DEST_ADDR(56),
    FI_INFO__HANDLE(64),
    FI_INFO__TX_ATTR(72),
    FI_INFO__RX_ATTR(80),
    FI_INFO__EP_ATTR(88),
    FI_INFO__DOMAIN_ATTR(96),
    FI_INFO__FABRIC_ATTR(104),
    FI_TX_ATTR__MSG_ORDER(24),
    FI_TX_ATTR__INJECT_SIZE(40),
    FI_TX_ATTR__SIZE(48),
    FI_TX_ATTR__IOV_LIMIT(56),
    FI_RX_ATTR__MSG_ORDER(24),
    FI_RX_ATTR__SIZE(48),
    FI_EP_ATTR__TYPE(0),
    FI_EP_ATTR__MAX_MSG_SIZE(16),
    FI_DOMAIN_ATTR__NAME(8),
    FI_DOMAIN_ATTR__THREADING(16),
    FI_DOMAIN_ATTR__MR_MODE(36),
    FI_FABRIC_ATTR__NAME(8),
    FI_FABRIC_ATTR__PROV_NAME(16),
    FI_EQ_ATTR__WAIT_OBJ(16),
    FI_EQ_CM_ENTRY__FID(0),
    FI_EQ_CM_ENTRY__INFO(8),
    FI_EQ_ERR_ENTRY__FID(0),
    FI_EQ_ERR_ENTRY__ERR(24),
    FI_EQ_ERR_ENTRY__ERR_DATA(32),
    FI_EQ_ERR_ENTRY__ERR_DATA_SIZE(40),
    FI_CQ_ATTR__SIZE(0),
    FI_CQ_ATTR__FORMAT(16),
    FI_CQ_ATTR__WAIT_OBJ(20),
    FI_CQ_MSG_ENTRY__OP_CONTEXT(0),
    FI_CQ_MSG_ENTRY__LEN(16),
    FI_CQ_ERR_ENTRY__OP_CONTEXT(0),
    FI_CQ_ERR_ENTRY__ERR(56),
    IOVEC__IOV_BASE(0),
    IOVEC__IOV_LEN(8);

    final int offset;

    Field(int offset) {
      this.offset = offset;
    }

    @Override
    public int offset() {
      return offset;
    }
  }

  /// The size of a structure.
  enum Size {
    FI_EQ_ATTR(32),
    FI_EQ_CM_ENTRY(16),
    FI_EQ_ERR_ENTRY(48),
    FI_CQ_ATTR(40),
    FI_CQ_MSG_ENTRY(24),
    FI_CQ_ERR_ENTRY(80),
    FI_AV_ATTR(48),
    IOVEC(16);

    final int bytes;

    Size(int bytes) {
      this.bytes = bytes;
    }

    String structure() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// A constant.
  enum Constant {
    FI_MSG(1L << 1),
    FI_RMA(1L << 2),
    FI_SEND(1L << 11),
    FI_RECV(1L << 10),
    FI_READ(1L << 8),
    FI_WRITE(1L << 9),
    FI_REMOTE_READ(1L << 12),
    FI_REMOTE_WRITE(1L << 13),
    FI_TRANSMIT(1L << 11),
    FI_SOURCE(1L << 57),
    FI_NUMERICHOST(1L << 55),
    FI_EP_MSG(1),
    FI_EP_RDM(3),
    FI_THREAD_DOMAIN(3),
    FI_ORDER_SAS(1L << 8),
    FI_MR_LOCAL(1 << 2),
    FI_MR_VIRT_ADDR(1 << 4),
    FI_MR_ALLOCATED(1 << 5),
    FI_MR_PROV_KEY(1 << 6),
    FI_GETWAIT(5),
    FI_ENABLE(6),
    FI_WAIT_NONE(0),
    FI_WAIT_FD(3),
    FI_CQ_FORMAT_MSG(2),
    FI_CONNREQ(1),
    FI_CONNECTED(2),
    FI_SHUTDOWN(3),
    FI_EAGAIN(11),
    FI_EINTR(4),
    FI_ENOSYS(38),
    FI_ENODATA(61),
    FI_EAVAIL(259);

    final long value;

    Constant(long value) {
      this.value = value;
    }

    int number() {
      return (int) value;
    }
  }
}
